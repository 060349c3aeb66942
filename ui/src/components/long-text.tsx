import { useState } from "react";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import { formatBytes } from "@/lib/format";
import { UntrustedText } from "./their-voice";

/** Characters laid out at once: more than fits a screen, less than makes it stutter. */
const STEP = 32_768;

/** The beginning of a text, never half a character. */
export function headOf(text: string, length: number): string {
  const unit = text.charCodeAt(length);
  return text.slice(0, unit >= 0xdc00 && unit <= 0xdfff ? length - 1 : length);
}

/** Pieces of about equal length; together they are the text. */
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

/** Somebody else's text of any length, as much of it as is asked for. */
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
