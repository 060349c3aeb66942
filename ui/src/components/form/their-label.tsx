import { useState } from "react";
import { useTranslation } from "react-i18next";
import { headOf } from "@/components/long-text";
import { UntrustedText } from "@/components/their-voice";
import { cx } from "@/lib/cx";
import { formatBytes } from "@/lib/format";

/** A longer label is shortened and says so. */
const SHOWN = 400;

/** The server's label of a field or choice. It wraps, and a click shows all of a very long one. */
export function TheirLabel({ id, htmlFor, text, className }: { id?: string; htmlFor: string; text: string; className?: string }) {
  const { t, i18n } = useTranslation();
  const [all, setAll] = useState(false);
  const long = text.length > SHOWN;
  const cut = long && !all;
  return (
    <div data-theirs className="min-w-0">
      <label id={id} htmlFor={htmlFor} className={cx("block wrap-any", className)}>
        <bdi>
          <UntrustedText text={cut ? headOf(text, SHOWN) : text} />
        </bdi>
        {cut && "…"}
      </label>
      {long && (
        <button
          type="button"
          aria-expanded={all}
          onClick={() => setAll(!all)}
          className="rounded-xs text-sm font-medium text-accent hover:underline"
        >
          {all ? t("showLess") : t("json.whole", { size: formatBytes(new Blob([text]).size, i18n.language) })}
        </button>
      )}
    </div>
  );
}
