import { useTranslation } from "react-i18next";
import type { LimitReached } from "@/ipc/bindings/LimitReached";
import { formatAgo, formatBytes, formatCount, formatMs } from "@/lib/format";
import { useNow } from "@/lib/use-now";
import { visibleLine } from "@/lib/untrusted";

const known = [
  "message",
  "nodes",
  "depth",
  "in_flight",
  "items",
  "pages",
  "name",
  "tool_name",
  "uri",
  "description",
  "schema",
  "unasked_messages",
  "unasked_bytes",
  "rounds",
  "questions_in_round",
  "stderr_line",
  "stderr_tail",
] as const;

function amount({ limit, unit }: LimitReached, language: string): string {
  if (unit === "bytes") return formatBytes(limit, language);
  return unit === "seconds" ? formatMs(limit * 1000, language) : formatCount(limit, language);
}

/** The limits that this connection reached: which, how often, and when last. */
export function LimitsReached({ limits }: { limits: readonly LimitReached[] }) {
  const { t, i18n } = useTranslation("servers");
  const now = useNow(5_000);
  return (
    <section aria-labelledby="server-limits">
      <h3 id="server-limits" className="m-0 mb-1 font-semibold">
        {t("limits.title")}
      </h3>
      <p className="m-0 mb-2 text-sm text-fg-3">{t("limits.text")}</p>
      <ul className="m-0 list-none overflow-hidden rounded-m border border-line bg-sunken p-0">
        {limits.map((limit) => {
          const name = known.find((item) => item === limit.name);
          return (
            <li key={limit.name} className="flex items-baseline gap-3 border-b border-line px-3 py-1.75 last:border-0">
              <div className="min-w-0 flex-1">
                <span className={name === undefined ? "mono wrap-any" : "wrap-any"}>
                  {name === undefined ? visibleLine(limit.name) : t(`limits.name.${name}`)}
                </span>
                <p className="m-0 text-sm text-fg-3">{t("limits.last", { ago: formatAgo(limit.lastAt, now, i18n.language) })}</p>
              </div>
              <span className="shrink-0 text-right tabular">
                {amount(limit, i18n.language)}
                <span className="block text-sm text-fg-3">
                  {t("limits.times", { count: limit.times, shown: formatCount(limit.times, i18n.language) })}
                </span>
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
