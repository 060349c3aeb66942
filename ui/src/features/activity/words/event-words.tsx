import type { TFunction } from "i18next";
import { Chip } from "@/components/chip";
import type { LogRow } from "@/ipc/bindings/LogRow";
import { formatCount } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import { fieldsOf } from "../detail/saying";
import { errorCode, glance } from "../list/describe";
import { callerName, stateName } from "./names";

export type Translate = TFunction<["activity", "common"]>;

/** The event column: our words in the text face, the server's in the machine face, never in one run. */
export function EventWords({ row, room, language, t }: { row: LogRow; room: number; language: string; t: Translate }) {
  switch (row.kind) {
    case "frame":
      return <FrameWords row={row} room={room} t={t} />;
    case "stderr":
      return <Quiet mono text={row.preview.slice(0, room)} />;
    case "verdict":
      return <VerdictWords row={row} t={t} />;
    case "state":
      return <StateWords row={row} t={t} />;
    case "gap": {
      const fields = fieldsOf(row.preview);
      const count = Number(fields.get("count"));
      return (
        <>
          <span>{count > 0 ? t("gap.row", { count, shown: formatCount(count, language) }) : t("gap.some")}</span>
          <Quiet text={fields.get("reason") ?? ""} />
        </>
      );
    }
    case "diagnostic": {
      const fields = fieldsOf(row.preview);
      return (
        <>
          <span>{visibleLine(fields.get("message") ?? row.preview)}</span>
          <Quiet mono text={fields.get("path") ?? ""} />
        </>
      );
    }
    default:
      return row.kind satisfies never;
  }
}

const chip = "ml-2 align-middle";

function FrameWords({ row, room, t }: { row: LogRow; room: number; t: Translate }) {
  const code = errorCode(row);
  return (
    <>
      {(row.method !== null || row.subject !== null) && (
        <span className="mono">
          {row.method !== null && <MethodName method={row.method} />}
          {row.subject !== null && <b className="ml-1.5 font-semibold">{visibleLine(row.subject)}</b>}
        </span>
      )}
      {row.status === "error" && <Chip tone="bad" className={chip}>{code === null ? t("status.error") : t("status.errorCode", { code })}</Chip>}
      {row.status === "cancelled" && <Chip tone="warn" className={chip}>{t("status.cancelled")}</Chip>}
      {row.status === "timed_out" && <Chip tone="warn" className={chip}>{t("status.timed_out")}</Chip>}
      <Quiet mono text={glance(row, room)} />
    </>
  );
}

const NOTIFICATION = "notifications/";

/** The method as it is on the wire; the prefix that all notifications share stands back. */
function MethodName({ method }: { method: string }) {
  if (!method.startsWith(NOTIFICATION)) return visibleLine(method);
  return (
    <>
      <span className="text-fg-3">{NOTIFICATION}</span>
      {visibleLine(method.slice(NOTIFICATION.length))}
    </>
  );
}

function VerdictWords({ row, t }: { row: LogRow; t: Translate }) {
  const fields = fieldsOf(row.preview);
  const subject = row.subject ?? fields.get("tool");
  const caller = fields.get("caller");
  return (
    <>
      <span>{t(row.status === "error" ? "verdict.denied" : fields.get("decision") === "ask" ? "verdict.asked" : "verdict.allowed")}</span>
      {subject !== undefined && <b className="mono ml-2 font-semibold">{visibleLine(subject)}</b>}
      {caller !== undefined && <Quiet text={t("verdict.by", { caller: callerName(caller, t) })} />}
    </>
  );
}

function StateWords({ row, t }: { row: LogRow; t: Translate }) {
  const fields = fieldsOf(row.preview);
  const to = fields.get("to") ?? row.subject;
  return (
    <>
      <span>{to ? stateName(to, t) : t("state.changed")}</span>
      <Quiet text={fields.get("reason") ?? (fields.size === 0 && to === null ? row.preview : "")} />
    </>
  );
}

/** The rest of the line, as much as there is room for. */
function Quiet({ text, mono = false }: { text: string; mono?: boolean }) {
  if (text === "") return null;
  return <span className={mono ? "mono ml-2 text-fg-3 first:ml-0" : "ml-2 text-fg-3 first:ml-0"}>{visibleLine(text)}</span>;
}
