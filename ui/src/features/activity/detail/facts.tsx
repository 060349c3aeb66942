import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Chip } from "@/components/chip";
import type { LogRow } from "@/ipc/bindings/LogRow";
import { formatBytes, formatCount, formatMs } from "@/lib/format";
import { cx } from "@/lib/cx";
import { visibleLine } from "@/lib/untrusted";
import { formatIso } from "../format";
import { isAnswer } from "../list/describe";

/** What is known about an event besides its body. */
export function Facts({ row, partner, onPartner }: { row: LogRow; partner: LogRow | null; onPartner: (row: LogRow) => void }) {
  const { t, i18n } = useTranslation(["activity", "common"]);
  const number = (value: number) => formatCount(value, i18n.language);
  return (
    <dl className="m-0 grid grid-cols-[104px_minmax(0,1fr)] gap-x-3 gap-y-1.75">
      <Fact name={t("fact.server")}>{visibleLine(row.source)}</Fact>
      {row.method !== null && <Fact name={t("fact.method")} code>{visibleLine(row.method)}</Fact>}
      {row.subject !== null && row.kind !== "state" && <Fact name={t(row.method === "tools/call" || row.kind === "verdict" ? "fact.tool" : "fact.subject")} code>{visibleLine(row.subject)}</Fact>}
      {row.kind === "frame" && row.status !== "none" && (
        <Fact name={t("fact.outcome")}>
          <Outcome row={row} />
        </Fact>
      )}
      {partner && (
        <Fact name={t(isAnswer(row) ? "fact.answers" : "fact.answeredBy")}>
          <button type="button" onClick={() => onPartner(partner)} className="rounded-xs text-accent hover:underline">
            {t("fact.event", { id: number(partner.id) })}
          </button>
          <span className="text-fg-3"> {t(partner.at < row.at ? "fact.before" : "fact.later", { time: formatMs(Math.abs(partner.at - row.at) / 1_000, i18n.language) })}</span>
        </Fact>
      )}
      <Fact name={t("fact.time")} code>{formatIso(row.at)}</Fact>
      <Fact name={t("fact.size")}>
        {formatBytes(row.size, i18n.language)}
        {row.size >= 1_024 && <span className="text-fg-3"> · {t("fact.bytes", { count: row.size, shown: number(row.size) })}</span>}
      </Fact>
      {row.rpcId !== null && <Fact name={t("fact.request")} code>{visibleLine(row.rpcId)}</Fact>}
      <Fact name={t("fact.connection")}>{number(row.connection)}</Fact>
      <Fact name={t("fact.id")}>{number(row.id)}</Fact>
    </dl>
  );
}

function Fact({ name, code = false, children }: { name: string; code?: boolean; children: ReactNode }) {
  return (
    <>
      <dt className="text-fg-3">{name}</dt>
      <dd className={cx("m-0 min-w-0 tabular wrap-any", code && "mono leading-4.75")}>{children}</dd>
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
