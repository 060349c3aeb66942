import { useTranslation } from "react-i18next";
import { formatBytes, formatCount } from "@/lib/format";
import { countLines } from "./rows";

/** Shows how much of a long text is visible, with a button for all of it. Hidden if all is visible. */
export function Shortened({ head, text, onAll }: { head: string; text: string; onAll: () => void }) {
  const { t, i18n } = useTranslation("workbench");
  if (head.length >= text.length) return null;
  return (
    <div className="flex items-center gap-2 border-t border-line px-3 py-1.5 text-sm text-fg-3">
      <span className="min-w-0 flex-1">
        {t("result.shortened", { count: countLines(head), lines: formatCount(countLines(text), i18n.language) })}
      </span>
      <button type="button" onClick={onAll} className="shrink-0 rounded-xs px-1 font-medium text-accent hover:underline">
        {t("result.showAll", { size: formatBytes(new Blob([text]).size, i18n.language) })}
      </button>
    </div>
  );
}
