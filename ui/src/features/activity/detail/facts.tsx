import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Chip } from "@/components/chip";
import { Fold } from "@/components/fold";
import type { LogRow } from "@/ipc/bindings/LogRow";
import { appName, callerName } from "@/lib/callers";
import { formatBytes, formatCount, formatMs } from "@/lib/format";
import { cx } from "@/lib/cx";
import { visibleLine } from "@/lib/untrusted";
import { formatLocal, formatUtc, zoneOf } from "../format";
import { appOf, isAnswer } from "../list/describe";
import { ruleName } from "../words/names";
import { fieldsOf, type Saying } from "../words/saying";
import { SourceName } from "../words/source-name";

const list = "m-0 grid grid-cols-[104px_minmax(0,1fr)] gap-x-3 gap-y-1.75";

/** The facts about an event, without its body. */
export function Facts({
  row,
  saying,
  body,
  partner,
  cancelled = null,
  onPartner,
}: {
  row: LogRow;
  saying: Saying | null;
  body: string;
  partner: LogRow | null;
  /** The request that it cancels. */
  cancelled?: LogRow | null;
  onPartner: (row: LogRow) => void;
}) {
  const { t, i18n } = useTranslation(["activity", "common"]);
  const ended = endOf(row, saying, partner);
  const isOfTool = row.method === "tools/call" || row.kind === "verdict" || cancelled?.method === "tools/call";
  return (
    <dl className={list}>
      {ended !== null && (
        <Fact name={t("fact.outcome")}>
          <Outcome row={ended} />
        </Fact>
      )}
      <Fact name={t(appOf(row) === null ? "fact.server" : "fact.app")}>
        <SourceName row={row} t={t} />
      </Fact>
      {row.app !== null && appOf(row) === null && row.kind !== "verdict" && <Fact name={t("fact.app")}>{appName(row.app)}</Fact>}
      {row.method !== null && (
        <Fact name={t("fact.method")} code>
          {visibleLine(row.method)}
        </Fact>
      )}
      {row.subject !== null && row.kind !== "state" && (
        <Fact name={t(isOfTool ? "fact.tool" : "fact.subject")} code>
          {visibleLine(row.subject)}
        </Fact>
      )}
      {saying?.about === "verdict" && <Verdict caller={saying.caller} rule={saying.rule} body={body} />}
      {partner && (
        <Fact name={t(isAnswer(row) ? "fact.answers" : "fact.answeredBy")}>
          <button type="button" onClick={() => onPartner(partner)} className="rounded-xs text-accent hover:underline">
            {t(isAnswer(row) ? "menu.request" : "menu.answer")}
          </button>
          <span className="text-fg-3">
            {" "}
            {t(partner.at < row.at ? "fact.before" : "fact.later", {
              time: formatMs(Math.abs(partner.at - row.at) / 1_000, i18n.language),
            })}
          </span>
        </Fact>
      )}
      {cancelled && (
        <Fact name={t("fact.cancels")}>
          <button type="button" onClick={() => onPartner(cancelled)} className="rounded-xs text-accent hover:underline">
            {t("menu.request")}
          </button>
        </Fact>
      )}
      <Fact name={t("fact.time")}>
        {formatLocal(row.at, i18n.language)} <span className="text-fg-3">{zoneOf(row.at, i18n.language)}</span>
      </Fact>
      <Fact name={t("fact.size")}>
        {formatBytes(row.size, i18n.language)}
        {row.size >= 1_024 && (
          <span className="text-fg-3"> · {t("fact.bytes", { count: row.size, shown: formatCount(row.size, i18n.language) })}</span>
        )}
      </Fact>
    </dl>
  );
}

/** Numbers and the exact time, which are rarely needed. */
export function ExactFacts({ row, saying, body }: { row: LogRow; saying: Saying | null; body: string }) {
  const { t, i18n } = useTranslation("activity");
  const hash = saying?.about === "verdict" ? fieldsOf(body).get("argumentsSha256") : undefined;
  return (
    <div className="mt-5">
      <Fold title={t("fact.more")}>
        <dl className={list}>
          <Fact name={t("fact.utc")} code>
            {formatUtc(row.at)}
          </Fact>
          {row.rpcId !== null && (
            <Fact name={t("fact.request")} code>
              {visibleLine(row.rpcId)}
            </Fact>
          )}
          {hash !== undefined && (
            <Fact name={t("fact.arguments")} code>
              {visibleLine(hash)}
            </Fact>
          )}
          <Fact name={t("fact.id")}>{formatCount(row.id, i18n.language)}</Fact>
        </dl>
      </Fold>
    </div>
  );
}

/** The row with the outcome of this row's exchange. */
function endOf(row: LogRow, saying: Saying | null, partner: LogRow | null): LogRow | null {
  if (row.status !== "none") return row.kind === "frame" || saying?.about === "end" ? row : null;
  return partner !== null && partner.status !== "none" ? partner : null;
}

function Fact({ name, code = false, children }: { name: string; code?: boolean; children: ReactNode }) {
  return (
    <>
      <dt className="text-fg-3">{name}</dt>
      <dd className={cx("m-0 min-w-0 tabular wrap-any", code && "mono leading-[19px]")}>{children}</dd>
    </>
  );
}

function Verdict({ caller, rule, body }: { caller: string; rule: string; body: string }) {
  const { t } = useTranslation(["activity", "common"]);
  const fields = fieldsOf(body);
  return (
    <>
      {caller !== "" && <Fact name={t("fact.caller")}>{callerName(caller, t)}</Fact>}
      {rule !== "" && <Fact name={t("fact.rule")}>{ruleName(rule, t)}</Fact>}
      {Number(fields.get("calls") ?? 1) > 1 && <Fact name={t("fact.calls")}>{fields.get("calls")}</Fact>}
    </>
  );
}

const tones = { none: "plain", ok: "ok", error: "bad", cancelled: "warn", timed_out: "warn" } as const;

function Outcome({ row }: { row: LogRow }) {
  const { t, i18n } = useTranslation("activity");
  return (
    <span className="inline-flex items-center gap-2">
      <Chip tone={tones[row.status]}>{t(`status.${row.status}`)}</Chip>
      {row.durationUs !== null && t("fact.after", { time: formatMs(row.durationUs / 1_000, i18n.language) })}
    </span>
  );
}
