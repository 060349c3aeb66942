import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CopyButton, JsonText } from "@/components/code-block";
import { headOf, LongText } from "@/components/long-text";
import { formatBytes } from "@/lib/format";
import { indentJson } from "@/lib/json-tokens";

/** How many characters are shown at first. One click shows all. */
const SHOWN = 480;
const COLOURED = 100_000;

/** The arguments that are sent: highlighted JSON, or its beginning if it is long. */
export function Arguments({ label, text }: { label: string; text: string }) {
  const { t, i18n } = useTranslation(["inbox", "common"]);
  const [all, setAll] = useState(false);
  const laidOut = indentJson(text);
  const short = laidOut.length <= SHOWN * 1.3;
  const shown = all || short ? laidOut : headOf(laidOut, SHOWN);
  return (
    <div className="group/code relative rounded-m border border-line bg-sunken">
      <pre
        data-theirs
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
        tabIndex={0}
        aria-label={label}
        className="selectable inset-focus m-0 max-h-[calc(--spacing(2.5)+279px)] overflow-auto rounded-m px-3 py-2.5 leading-[1.55] whitespace-pre-wrap wrap-any"
      >
        {text.trim() === "{}" ? "{}" : shown.length > COLOURED ? <LongText text={shown} inline /> : <JsonText text={shown} />}
        {!short && !all && "…"}
      </pre>
      {!short && (
        <button
          type="button"
          onClick={() => setAll(!all)}
          className="mb-2 ml-2.5 rounded-xs px-1 text-sm font-medium text-accent hover:underline"
        >
          {all ? t("common:showLess") : t("common:json.whole", { size: formatBytes(new Blob([text]).size, i18n.language) })}
        </button>
      )}
      <CopyButton
        text={text}
        className="absolute top-1.5 right-1.5 bg-sunken opacity-0 group-focus-within/code:opacity-100 group-hover/code:opacity-100"
      />
    </div>
  );
}
