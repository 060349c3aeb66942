import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Ban, CircleCheck, CircleX, Clock, type LucideIcon } from "lucide-react";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "@/components/error-notice";
import { Icon } from "@/components/icon";
import type { LogRow } from "@/ipc/bindings/LogRow";
import type { LogStatus } from "@/ipc/bindings/LogStatus";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { lastCalls } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { formatAgo, formatMs } from "@/lib/format";
import { useNow } from "@/lib/use-now";
import { visibleLine } from "@/lib/untrusted";
import { CallTimes } from "../call-times";

const marks: Record<Exclude<LogStatus, "none">, { icon: LucideIcon; colour: string }> = {
  ok: { icon: CircleCheck, colour: "text-ok" },
  error: { icon: CircleX, colour: "text-bad" },
  cancelled: { icon: Ban, colour: "text-fg-3" },
  timed_out: { icon: Clock, colour: "text-warn" },
};

const SHOWN = 5;

/** Only the row that ends a call has a duration. Calls that became tasks end elsewhere. */
const endsCall = ({ durationUs, preview }: LogRow): boolean => durationUs !== null || preview.includes('"task');

/** The last tool calls of a server: their outcomes and durations, with a link to Activity. */
export function LastCalls({ server }: { server: ServerView }) {
  const { t, i18n } = useTranslation("servers");
  const now = useNow(15_000);
  const { data: rows = [], error } = useQuery(lastCalls(server.id, server.calls));
  const data = rows.filter(endsCall).slice(0, SHOWN);
  const all = { serverId: server.id, method: "tools/call" };
  if (error) return <ErrorNotice title={t("calls.failed")} {...errorWords(error)} />;
  if (data.length === 0) return null;
  return (
    <section aria-label={t("calls.title")}>
      <div className="mb-1.5 flex items-baseline gap-2">
        <h3 className="m-0 font-semibold">{t("calls.title")}</h3>
        <span className="min-w-0 flex-1 truncate text-sm text-fg-3 tabular">
          {server.callTimes !== null && (
            <>
              <CallTimes times={server.callTimes} /> · {t("calls.measured", { count: server.callTimes.count })}
            </>
          )}
        </span>
        <Link to="/activity" search={all} className="rounded-xs text-sm text-accent no-underline hover:underline">
          {t("calls.all")}
        </Link>
      </div>
      <ul aria-label={t("calls.title")} className="m-0 list-none overflow-hidden rounded-m border border-line p-0">
        {data.map(({ id, at, subject, status, durationUs }) => {
          const ended = status === "none" ? "ok" : status;
          const { icon, colour } = marks[ended];
          return (
            <li key={id} className="border-b border-line last:border-0">
              <Link
                to="/activity"
                search={{ ...all, event: id }}
                className="inset-focus flex items-center gap-2 px-3 py-1.5 text-fg no-underline transition-colors hover:bg-hover"
              >
                <Icon of={icon} className={`shrink-0 ${colour}`} />
                <bdi data-theirs className="mono min-w-0 flex-1 truncate">
                  {visibleLine(subject ?? "")}
                </bdi>
                <span className={ended === "ok" ? "sr-only" : "shrink-0 text-sm text-fg-2"}>{t(`calls.${ended}`)}</span>
                {durationUs !== null && (
                  <span className="shrink-0 text-sm text-fg-2 tabular">{formatMs(durationUs / 1_000, i18n.language)}</span>
                )}
                <span className="w-24 shrink-0 truncate text-right text-sm text-fg-3 tabular">
                  {formatAgo(at / 1_000, now, i18n.language)}
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
