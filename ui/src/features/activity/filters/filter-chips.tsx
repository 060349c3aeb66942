import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import type { LogFacets } from "@/ipc/bindings/LogFacets";
import { servers } from "@/ipc/queries";
import { cx } from "@/lib/cx";
import { visibleLine } from "@/lib/untrusted";
import { type ActivitySearch, type ChangeSearch, isFiltered, unfiltered, without } from "../search";
import { FacetMenu } from "./facet-menu";
import { choicesOf, chosenOf, FACETS } from "./facets";

/** The active filters, each with its value to change and a cross to remove it. Hidden without filters. */
export function FilterChips({ search, facets, onChange }: { search: ActivitySearch; facets: LogFacets; onChange: ChangeSearch }) {
  const { t, i18n } = useTranslation(["activity", "common"]);
  const { data: list = [] } = useQuery(servers());
  const server = list.find((known) => known.id === search.serverId);
  if (!isFiltered(search)) return null;
  return (
    <div
      role="group"
      aria-label={t("filter.active")}
      className="flex shrink-0 flex-wrap items-center gap-1.5 border-b border-line px-3.5 py-1.5"
    >
      {search.serverId !== undefined && (
        <TextChip
          name={t("facet.server")}
          value={server === undefined ? t("filter.goneServer") : visibleLine(server.name)}
          onRemove={() => onChange((now) => without(now, "serverId"))}
        />
      )}
      {FACETS.map((facet) => {
        const chosen = chosenOf(facet, search);
        if (chosen.length === 0) return null;
        const named = choicesOf(facet, facets, search, t, i18n.language).filter((choice) => chosen.includes(choice.value));
        const value = new Intl.ListFormat(i18n.language, { style: "short", type: "unit" }).format(named.map((choice) => choice.label));
        return (
          <ChipFrame key={facet} name={t(`facet.${facet}`)} onRemove={() => onChange((now) => without(now, facet))}>
            <FacetMenu facet={facet} search={search} facets={facets} onChange={onChange}>
              <button
                type="button"
                className="inset-focus flex min-w-0 items-center gap-1 px-2 text-left hover:bg-hover data-[state=open]:bg-hover"
              >
                <span className="shrink-0 text-fg-3">{t(`facet.${facet}`)}</span>
                <span className={cx("min-w-0 truncate", named[0]?.code && "mono")}>{value}</span>
              </button>
            </FacetMenu>
          </ChipFrame>
        );
      })}
      {search.call !== undefined && (
        <TextChip name={t("facet.call")} value={t("filter.oneCall")} onRemove={() => onChange((now) => without(now, "call"))} />
      )}
      {search.text !== undefined && (
        <TextChip code name={t("facet.text")} value={visibleLine(search.text)} onRemove={() => onChange((now) => without(now, "text"))} />
      )}
      <button
        type="button"
        onClick={() => onChange(unfiltered)}
        className="ml-0.5 h-6 rounded-s px-1.5 text-fg-2 hover:bg-hover hover:text-fg"
      >
        {t("filter.clear")}
      </button>
    </div>
  );
}

/** A filter that isn't chosen from a list. */
function TextChip({ name, value, code = false, onRemove }: { name: string; value: string; code?: boolean; onRemove: () => void }) {
  return (
    <ChipFrame name={name} onRemove={onRemove}>
      <span className="flex min-w-0 items-center gap-1 px-2">
        <span className="shrink-0 text-fg-3">{name}</span>
        <span className={cx("min-w-0 truncate", code && "mono")}>{value}</span>
      </span>
    </ChipFrame>
  );
}

function ChipFrame({ name, onRemove, children }: { name: string; onRemove: () => void; children: React.ReactNode }) {
  const { t } = useTranslation("activity");
  return (
    <span className="inline-flex h-6 max-w-80 min-w-0 items-stretch overflow-hidden rounded-s border border-line-strong bg-raised text-sm">
      {children}
      <button
        type="button"
        aria-label={t("filter.remove", { facet: name })}
        onClick={onRemove}
        className="inset-focus grid w-6 shrink-0 place-items-center border-l border-line text-fg-3 hover:bg-hover hover:text-fg"
      >
        <Icon of={X} size={12} />
      </button>
    </span>
  );
}
