import type { TFunction } from "i18next";
import { Chip } from "@/components/chip";
import { Marked, useNeedle } from "@/components/marked";
import type { LogRow } from "@/ipc/bindings/LogRow";
import { callerName } from "@/lib/callers";
import { cutAround } from "@/lib/needle";
import { visibleLine } from "@/lib/untrusted";
import { errorCode, glance } from "../list/describe";
import { gapTitle, inWords, stateName } from "./names";
import { sayingOf } from "./saying";

export type Translate = TFunction<["activity", "common"]>;

interface WordsProps {
  row: LogRow;
  /** About how many characters there is room for. */
  room: number;
  language: string;
  t: Translate;
}

/** The event column: our words in the text face, the server's in the machine face, never in one run. */
export function EventWords({ row, room, language, t }: WordsProps) {
  const needle = useNeedle();
  const saying = sayingOf(row, row.preview);
  switch (saying?.about) {
    case undefined:
      return row.kind === "stderr" ? <Quiet mono text={cutAround(row.preview, room, needle)} /> : <Frame row={row} room={room} t={t} />;
    case "verdict":
      return (
        <>
          <span>{t(`verdict.${saying.decision}`)}</span>
          {saying.tool !== null && (
            <b className="mono ml-2 font-semibold">
              <Marked text={visibleLine(saying.tool)} />
            </b>
          )}
          {saying.caller !== "" && <Quiet text={t("verdict.by", { caller: callerName(saying.caller, t) })} />}
        </>
      );
    case "state":
      return (
        <>
          <span>{saying.to === "" ? t("state.changed") : stateName(saying.to, t)}</span>
          <Quiet text={inWords(saying.reason, language)} />
        </>
      );
    case "gap":
      return (
        <>
          <span>{gapTitle(saying, t, language)}</span>
          <Quiet text={inWords(saying.reason, language)} />
        </>
      );
    case "end":
      return (
        <>
          <Name row={row} />
          <Ending row={row} t={t} />
          <Quiet text={inWords(saying.message, language)} />
        </>
      );
    case "auth":
      return <span>{visibleLine(inWords(saying.message, language)) || t("kind.auth")}</span>;
    case "noise":
      return (
        <>
          <span>{t("noise.row")}</span>
          <Quiet mono text={cutAround(row.preview, room, needle)} />
        </>
      );
    case "oddity":
      return (
        <>
          <span>{inWords(saying.message, language) || t("kind.diagnostic")}</span>
          <Quiet mono text={saying.path ?? ""} />
        </>
      );
    default:
      return saying satisfies never;
  }
}

function Frame({ row, room, t }: Omit<WordsProps, "language">) {
  const needle = useNeedle();
  return (
    <>
      <Name row={row} />
      <Ending row={row} t={t} />
      <Quiet mono text={glance(row, room, needle)} />
    </>
  );
}

/** The answer behind its request, in one line with it. */
export function AnswerWords({ row, room, t }: Omit<WordsProps, "language">) {
  const needle = useNeedle();
  return (
    <>
      <span className="ml-2 text-fg-3">→</span>
      <Ending row={row} t={t} />
      <Quiet mono text={glance(row, room, needle)} />
    </>
  );
}

const NOTIFICATION = "notifications/";

/** The method as it is on the wire, the prefix that all notifications share standing back, and what it is about. */
function Name({ row: { method, subject } }: { row: LogRow }) {
  if (method === null && subject === null) return null;
  return (
    <span className="mono">
      {method?.startsWith(NOTIFICATION) && <span className="text-fg-3">{NOTIFICATION}</span>}
      {method !== null && <Marked text={visibleLine(method.startsWith(NOTIFICATION) ? method.slice(NOTIFICATION.length) : method)} />}
      {subject !== null && (
        <b className="ml-1.5 font-semibold">
          <Marked text={visibleLine(subject)} />
        </b>
      )}
    </span>
  );
}

const chip = "ml-2 align-middle first:ml-0";

/** How an exchange ended, when it did not end well. */
function Ending({ row, t }: { row: LogRow; t: Translate }) {
  if (row.status === "cancelled")
    return (
      <Chip tone="warn" className={chip}>
        {t("status.cancelled")}
      </Chip>
    );
  if (row.status === "timed_out")
    return (
      <Chip tone="warn" className={chip}>
        {t("status.timed_out")}
      </Chip>
    );
  if (row.status !== "error") return null;
  const code = errorCode(row);
  return (
    <Chip tone="bad" className={chip}>
      {code === null ? t("status.error") : t("status.errorCode", { code })}
    </Chip>
  );
}

/** The rest of the line, as much as there is room for. */
function Quiet({ text, mono = false }: { text: string; mono?: boolean }) {
  if (text === "") return null;
  return (
    <span className={mono ? "mono ml-2 text-fg-3 first:ml-0" : "ml-2 text-fg-3 first:ml-0"}>
      <Marked text={visibleLine(text)} />
    </span>
  );
}
