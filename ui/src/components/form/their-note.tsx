import { useState } from "react";
import { useTranslation } from "react-i18next";
import { headOf } from "@/components/long-text";
import { UntrustedText } from "@/components/their-voice";
import { visibleLine } from "@/lib/untrusted";

const SHOWN = 280;

/** A server's text about a field: marked by a line at the side, named for screen readers, shortened if long. */
export function TheirNote({ server, title, text = "" }: { server: string; title?: string | undefined; text?: string | undefined }) {
  const { t } = useTranslation(["form", "common"]);
  const [whole, setWhole] = useState(false);
  const long = text.length > SHOWN * 1.2;
  const shown = long && !whole ? `${headOf(text, SHOWN).trimEnd()}…` : text;
  return (
    <blockquote
      data-theirs
      aria-label={t("common:theirWords", { server: visibleLine(server) })}
      className="m-0 mb-1 border-l-2 border-line-strong pl-2 text-sm text-fg-2"
    >
      {title !== undefined && (
        <b className="selectable block font-[560] wrap-any">
          <bdi>{visibleLine(title.length > SHOWN ? `${headOf(title, SHOWN)}…` : title)}</bdi>
        </b>
      )}
      {text !== "" && (
        <span className="selectable max-h-48 whitespace-pre-wrap wrap-any">
          <UntrustedText text={shown} />
        </span>
      )}
      {long && (
        <button type="button" onClick={() => setWhole(!whole)} className="ml-1.5 rounded-xs text-accent hover:underline">
          {t(whole ? "field.less" : "field.moreText")}
        </button>
      )}
    </blockquote>
  );
}
