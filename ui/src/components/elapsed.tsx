import { useTranslation } from "react-i18next";
import { formatMs } from "@/lib/format";
import { useNow } from "@/lib/use-now";

/** How long something lasts, counted in whole seconds. */
export function Elapsed({ since }: { since: number }) {
  const { i18n } = useTranslation();
  const now = useNow(500);
  return <span className="tabular">{formatMs(Math.floor(Math.max(0, now - since) / 1000) * 1000, i18n.language)}</span>;
}
