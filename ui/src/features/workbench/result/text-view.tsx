import { useState } from "react";
import { useTranslation } from "react-i18next";
import { UntrustedText } from "@/components/their-voice";
import { cx } from "@/lib/cx";
import { formatBytes, formatCount } from "@/lib/format";
import { countLines, headLines } from "./rows";
import { VirtualText } from "./virtual-text";

const LINES = 200;
const CHARACTERS = 24_000;

/** Somebody else's text with its white space: the beginning at once, everything on request, never all of it drawn. */
export function TextView({ text, label, mono }: { text: string; label: string; mono: boolean }) {
  const { t, i18n } = useTranslation("workbench");
  const [all, setAll] = useState(false);
  const head = headLines(text, LINES, CHARACTERS);
  if (all) return <VirtualText text={text} label={label} mono={mono} className="h-[min(60vh,720px)] py-2" />;
  return (
    <>
      <div className={cx("selectable px-3 py-2.5 whitespace-pre-wrap wrap-any", mono && "mono leading-4.75")}><UntrustedText text={head} /></div>
      {head.length < text.length && (
        <div className="flex items-center gap-2 border-t border-line px-3 py-1.5 text-sm text-fg-3">
          <span className="min-w-0 flex-1">{t("result.shortened", { count: countLines(head), lines: formatCount(countLines(text), i18n.language) })}</span>
          <button type="button" onClick={() => setAll(true)} className="shrink-0 rounded-xs px-1 font-medium text-accent hover:underline">
            {t("result.showAll", { size: formatBytes(new Blob([text]).size, i18n.language) })}
          </button>
        </div>
      )}
    </>
  );
}
