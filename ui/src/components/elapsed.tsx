import { useTranslation } from "react-i18next";
import { formatMs } from "@/lib/format";
import { useNow } from "@/lib/use-now";

/** The elapsed time in whole seconds. */
export function Elapsed({ since }: { since: number }) {
  const { i18n } = useTranslation();
  const now = useNow(500);
  const seconds = Math.floor((now - since) / 1000);
  return seconds < 1 ? null : <span className="tabular">{formatMs(seconds * 1000, i18n.language)}</span>;
}
