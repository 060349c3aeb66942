import { Check, ListFilter } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Icon } from "@/components/icon";
import type { LogFacets } from "@/ipc/bindings/LogFacets";
import { cx } from "@/lib/cx";
import type { ActivitySearch, ChangeSearch } from "../search";
import { choicesOf, chosenOf, FACETS, type Facet, isList, toggled } from "./facets";

const panel =
  "z-50 min-w-44 max-w-80 max-h-(--radix-dropdown-menu-content-available-height) overflow-y-auto rounded-m border border-line bg-raised p-1 shadow-float data-[state=open]:animate-in";
const line =
  "flex h-7 items-center gap-2 rounded-s px-2 outline-none data-[disabled]:opacity-45 data-[highlighted]:bg-selected data-[highlighted]:shadow-[inset_2px_0_0_var(--accent)] data-[state=open]:bg-hover";

interface FilterProps {
  search: ActivitySearch;
  facets: LogFacets;
  onChange: ChangeSearch;
}

/** The button that adds a filter: first the facet, then its value. */
export function FilterMenu({ search, facets, onChange }: FilterProps) {
  const { t } = useTranslation(["activity", "common"]);
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>
        <Button icon={ListFilter}>{t("filter.add")}</Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content align="start" sideOffset={4} collisionPadding={8} className={panel}>
          {FACETS.map((facet) => (
            <DropdownMenu.Sub key={facet}>
              <DropdownMenu.SubTrigger className={line}>
                <span className="min-w-0 flex-1">{t(`facet.${facet}`)}</span>
                <span aria-hidden className="text-fg-3">
                  ›
                </span>
              </DropdownMenu.SubTrigger>
              <DropdownMenu.Portal>
                <DropdownMenu.SubContent sideOffset={2} alignOffset={-5} collisionPadding={8} className={panel}>
                  <Choices facet={facet} search={search} facets={facets} onChange={onChange} />
                </DropdownMenu.SubContent>
              </DropdownMenu.Portal>
            </DropdownMenu.Sub>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

/** The values of a facet, as switches. For lists the menu stays open. */
export function Choices({ facet, search, facets, onChange }: FilterProps & { facet: Facet }) {
  const { t, i18n } = useTranslation(["activity", "common"]);
  const choices = choicesOf(facet, facets, search, t, i18n.language);
  const chosen = chosenOf(facet, search);
  if (choices.length === 0) return <p className="m-0 px-2 py-1 text-fg-3">{t("filter.nothing")}</p>;
  return choices.map(({ value, label, code }) => (
    <DropdownMenu.CheckboxItem
      key={value}
      checked={chosen.includes(value)}
      onCheckedChange={() => onChange((now) => toggled(facet, value, now))}
      onSelect={(event) => isList(facet) && event.preventDefault()}
      className={line}
    >
      <span className="grid w-3.5 place-items-center text-accent">
        <DropdownMenu.ItemIndicator>
          <Icon of={Check} />
        </DropdownMenu.ItemIndicator>
      </span>
      <span className={cx("min-w-0 flex-1 truncate", code && "mono")}>{label}</span>
    </DropdownMenu.CheckboxItem>
  ));
}

/** A menu with the values of a facet, behind its chip. */
export function FacetMenu({ facet, children, ...props }: FilterProps & { facet: Facet; children: React.ReactNode }) {
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>{children}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content align="start" sideOffset={4} collisionPadding={8} className={panel}>
          <Choices facet={facet} {...props} />
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
