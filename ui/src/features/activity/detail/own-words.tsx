import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { LogRow } from "@/ipc/bindings/LogRow";
import { formatCount } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import { callerName, stateName } from "../words/names";
import { fieldsOf, type Fields } from "./saying";

/** The members of our own bodies that the sentence tells, so that the rest can be shown below it. */
export const TOLD: Partial<Record<LogRow["kind"], readonly string[]>> = {
  verdict: ["decision", "caller", "rule", "tool"],
  state: ["from", "to", "reason"],
  gap: ["count", "reason"],
  diagnostic: ["code", "path", "message"],
};

/** What Mooring recorded about its own doing, as sentences. */
export function OwnWords({ row, body }: { row: LogRow; body: string }) {
  const fields = fieldsOf(body);
  if (fields.size === 0) return null;
  switch (row.kind) {
    case "verdict":
      return <Verdict row={row} fields={fields} />;
    case "state":
      return <State fields={fields} />;
    case "gap":
      return <Gap fields={fields} />;
    case "diagnostic":
      return <Oddity fields={fields} />;
    case "frame":
    case "stderr":
      return null;
    default:
      return row.kind satisfies never;
  }
}

function Say({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <div className="selectable mb-4">
      <p className="m-0 font-[580] wrap-any">{title}</p>
      {children !== undefined && <p className="mt-1 mb-0 text-fg-2 wrap-any">{children}</p>}
    </div>
  );
}

const gestures = ["workbench", "command_line"] as const;

function Verdict({ row, fields }: { row: LogRow; fields: Fields }) {
  const { t } = useTranslation(["activity", "common"]);
  const caller = fields.get("caller") ?? "";
  const rule = fields.get("rule") ?? "";
  const gesture = rule === "gesture" ? gestures.find((known) => known === caller) : undefined;
  const decision = row.status === "error" ? "denied" : fields.get("decision") === "ask" ? "asked" : "allowed";
  return (
    <Say title={t(`verdict.title.${decision}`)}>
      {gesture ? t(`verdict.why.${gesture}`) : t("verdict.why.rule", { caller: callerName(caller, t), rule: visibleLine(rule) })}
    </Say>
  );
}

function State({ fields }: { fields: Fields }) {
  const { t } = useTranslation(["activity", "common"]);
  const from = fields.get("from");
  const to = fields.get("to") ?? "";
  const reason = fields.get("reason");
  const title = from === undefined ? stateName(to, t) : t("state.moved", { from: stateName(from, t), to: stateName(to, t) });
  return <Say title={title}>{reason === undefined ? undefined : visibleLine(reason)}</Say>;
}

function Gap({ fields }: { fields: Fields }) {
  const { t, i18n } = useTranslation("activity");
  const count = Number(fields.get("count"));
  const reason = fields.get("reason");
  return (
    <>
      <Say title={count > 0 ? t("gap.row", { count, shown: formatCount(count, i18n.language) }) : t("gap.some")}>{t("gap.why")}</Say>
      {reason !== undefined && <Say title={t("gap.reason")}>{visibleLine(reason)}</Say>}
    </>
  );
}

function Oddity({ fields }: { fields: Fields }) {
  const { t } = useTranslation("activity");
  const path = fields.get("path");
  return (
    <>
      <Say title={visibleLine(fields.get("message") ?? fields.get("code") ?? "")}>{t("diagnostic.why")}</Say>
      {path !== undefined && <p className="mono selectable mt-0 mb-4 wrap-any">{visibleLine(path)}</p>}
    </>
  );
}
