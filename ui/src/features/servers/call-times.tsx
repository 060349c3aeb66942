import { useTranslation } from "react-i18next";
import type { CallTimes as Times } from "@/ipc/bindings/CallTimes";
import { formatMs } from "@/lib/format";

/** How long the last calls took. The tooltip explains the two figures. */
export function CallTimes({ times, className }: { times: Times; className?: string }) {
  const { t, i18n } = useTranslation("servers");
  const values = { count: times.count, p50: formatMs(times.p50Ms, i18n.language), p95: formatMs(times.p95Ms, i18n.language) };
  return (
    <span title={t("times.long", values)} className={className}>
      {t("times.short", values)}
    </span>
  );
}
