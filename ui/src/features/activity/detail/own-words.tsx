import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Quoted } from "@/components/their-voice";
import type { LogRow } from "@/ipc/bindings/LogRow";
import { appOf } from "../list/describe";
import { callerName } from "@/lib/callers";
import { visibleLine } from "@/lib/untrusted";
import { frameWords } from "../words/frame-words";
import { begun, endTitle, gapTitle, inWords, refusedWords, ruleName, sayWords, standingRule, stateName } from "../words/names";
import type { Saying } from "../words/saying";

/** Mooring's own events as sentences. */
export function OwnWords({ row, saying }: { row: LogRow; saying: Saying }) {
  const { t, i18n } = useTranslation(["activity", "common"]);
  switch (saying.about) {
    case "verdict":
      return (
        <Say title={t(`verdict.title.${saying.decision}`)}>
          <Why caller={saying.caller} rule={saying.rule} />
        </Say>
      );
    case "state": {
      const to = saying.to === "" ? t("state.changed") : stateName(saying.to, t);
      const title = saying.from === null ? to : t("state.moved", { from: stateName(saying.from, t), to });
      return <Say title={title}>{begun(inWords(saying.reason, i18n.language)) || null}</Say>;
    }
    case "gap": {
      const title = gapTitle(saying, t, i18n.language);
      const reason = inWords(saying.reason, i18n.language);
      return (
        <>
          <Say title={title}>{t(saying.cleared ? "gap.clearedWhy" : saying.deleted ? "gap.deletedWhy" : "gap.why")}</Say>
          {reason !== "" && <Say title={t("gap.reason")}>{reason}</Say>}
        </>
      );
    }
    case "end":
      return <Say title={endTitle(row, t)}>{begun(inWords(saying.message, i18n.language))}</Say>;
    case "auth":
      return (
        <Say title={begun(inWords(saying.message, i18n.language)) || t("kind.auth")}>
          {saying.refused && refusedWords(saying.refused, t)}
        </Say>
      );
    case "noise":
      return <Say title={t("noise.title")}>{t(appOf(row) === null ? "noise.why" : "noise.ofApp")}</Say>;
    case "oddity":
      return (
        <>
          <Say title={begun(inWords(saying.message, i18n.language)) || t("kind.diagnostic")}>{t("diagnostic.why")}</Say>
          {saying.path !== null && <p className="mono selectable -mt-2 mb-4 wrap-any">{visibleLine(saying.path)}</p>}
        </>
      );
    default:
      return saying satisfies never;
  }
}

/** Lines that a server wrote to standard error. */
export function StderrWords() {
  const { t } = useTranslation("activity");
  return <Say title={t("kind.stderr")}>{null}</Say>;
}

/** Of longer messages only the beginning is read. */
const READ_UP_TO = 256 * 1_024;

/** A message in our words, as in its row. Its own text follows in its frame. */
export function MessageWords({ row, text }: { row: LogRow; text: string }) {
  const { t, i18n } = useTranslation(["activity", "common"]);
  const words = frameWords(row, text.length > READ_UP_TO ? row.preview : text);
  if (words === null || words.say === null) return null;
  return (
    <p className="selectable mt-0 mb-4 font-[580] wrap-any">
      {sayWords(words, t, i18n.language)}
      {words.name !== "" && (
        <>
          {" "}
          <Quoted text={words.name} className="mono" />
        </>
      )}
    </p>
  );
}

function Say({ title, children }: { title: ReactNode; children: ReactNode }) {
  return (
    <div className="selectable mb-4">
      <p className="m-0 font-[580] wrap-any">{title}</p>
      {children !== null && <p className="mt-1 mb-0 text-fg-2 wrap-any">{children}</p>}
    </div>
  );
}

/** The caller and the deciding rule, in a sentence. */
function Why({ caller, rule }: { caller: string; rule: string }) {
  const { t } = useTranslation(["activity", "common"]);
  const standing = standingRule(rule);
  if (standing === "gesture" && (caller === "workbench" || caller === "command_line")) return t(`verdict.why.${caller}`);
  return t(`verdict.why.${standing ?? "rule"}`, { caller: callerName(caller, t), rule: ruleName(rule, t) });
}
