import { ChevronRight } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Chip } from "@/components/chip";
import { Icon } from "@/components/icon";
import { UntrustedText } from "@/components/their-voice";
import type { Diagnostic } from "@/ipc/bindings/Diagnostic";
import { sentence } from "@/lib/sentence";
import type { Kind } from "../target";

interface Oddity {
  readonly path: string;
  /** A sentence from the backend, or a text. */
  readonly message: Diagnostic["message"] | string;
}

/** How many are shown at first, because the result is more important. */
const FEW = 3;

/** Protocol violations in the server's content, with their places. Usable content is shown anyway. */
export function Diagnostics({ items, about }: { items: readonly Oddity[]; about: "result" | "schema" | Kind }) {
  const { t, i18n } = useTranslation("workbench");
  if (items.length === 0) return null;
  return (
    <details
      open={items.length <= FEW}
      aria-label={t("diagnostics.title")}
      className="group/problems rounded-m border border-line bg-sunken px-3 py-2.5"
    >
      <summary className="flex list-none gap-2 rounded-xs text-fg-2">
        <Icon of={ChevronRight} size={12} className="mt-1 shrink-0 text-fg-3 transition-transform group-open/problems:rotate-90" />
        <Chip tone="warn">{items.length}</Chip>
        <span>{t(`diagnostics.${about}`, { count: items.length })}</span>
      </summary>
      <ul className="mono selectable mt-2 mb-0 grid list-none grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-0.5 p-0">
        {items.slice(0, 100).map((item, index) => (
          <li key={index} className="contents">
            <span className="max-w-64 wrap-any text-fg">
              <UntrustedText text={item.path === "" ? "–" : item.path} />
            </span>
            <span className="wrap-any text-fg-2">
              {typeof item.message === "string" ? item.message : sentence(item.message, i18n.language)}
            </span>
          </li>
        ))}
      </ul>
      {items.length > 100 && <p className="mt-1 mb-0 text-sm text-fg-3">{t("diagnostics.more", { count: items.length - 100 })}</p>}
    </details>
  );
}
