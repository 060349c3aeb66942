import { useState } from "react";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import { formatBytes } from "@/lib/format";
import { UntrustedText } from "./their-voice";

/** How many characters are drawn at once: more than a screen, but not so many that it stutters. */
const STEP = 32_768;

/** The beginning of a text, without splitting a character. */
export function headOf(text: string, length: number): string {
  const unit = text.charCodeAt(length);
  return text.slice(0, unit >= 0xdc00 && unit <= 0xdfff ? length - 1 : length);
}

/** Splits a text into pieces of about equal length. */
function stepsOf(text: string, shown: number): string[] {
  const steps: string[] = [];
  let from = 0;
  while (from < Math.min(shown, text.length)) {
    const step = headOf(text.slice(from), STEP);
    steps.push(step);
    from += step.length;
  }
  return steps;
}

/** Foreign text of any length. More of it is drawn on request. */
export function LongText({ text, inline = false, className }: { text: string; inline?: boolean; className?: string }) {
  const { t, i18n } = useTranslation();
  const [shown, setShown] = useState(STEP);
  const steps = stepsOf(text, shown);
  const rest = text.length - steps.reduce((length, step) => length + step.length, 0);
  return (
    <span className={cx("selectable whitespace-pre-wrap wrap-any", !inline && "mono block leading-[19px]", className)}>
      {steps.map((step, index) => (
        <UntrustedText key={index} text={step} />
      ))}
      {rest > 0 && (
        <button
          type="button"
          onClick={() => setShown(shown + STEP * 4)}
          className="ml-1 rounded-xs px-1 font-ui text-xs font-medium text-accent hover:bg-hover"
        >
          {t("json.rest", { size: formatBytes(rest, i18n.language) })}
        </button>
      )}
    </span>
  );
}
