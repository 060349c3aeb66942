import { ArrowDown, ArrowUp, Ellipsis, Trash2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { Menu, type MenuItem } from "@/components/menu";
import { cx } from "@/lib/cx";
import { sameJson } from "@/lib/schema/equal";
import { type JsonNode, type Path } from "@/lib/schema/json";
import { type ArrayField, concrete, type EnumField, type Field } from "@/lib/schema/model";
import { anything, blankItem, initialValue } from "@/lib/schema/value";
import { AddButton } from "./add-button";
import { rearrange, setAt } from "./draft";
import { ManyChoices } from "./choices";
import { fieldId, naming, useForm, type Wiring } from "./form-context";
import { isChecklist } from "./hints";

/** The most items that are drawn. A longer list is edited as JSON. */
const SHOWN = 200;

interface ArrayProps {
  field: ArrayField;
  path: Path;
  value: JsonNode | undefined;
  required: boolean;
  wiring: Wiring;
}

/** A list: check boxes for a set of fixed values, otherwise one item below the other. */
export function ArrayBody(props: ArrayProps) {
  const form = useForm();
  const { field, path, value } = props;
  const each = field.items === null ? null : concrete(field.items);
  const items = value?.kind === "array" ? value.items : [];
  if (each?.kind !== "enum" || !isChecklist(field, form.asked ? Infinity : undefined) || !isSetOf(each, items))
    return <ListBody {...props} items={items} />;
  return <ManyChoices {...props} field={each} onChange={(next) => form.change((draft) => setAt(draft, path, next))} />;
}

function isSetOf(field: EnumField, items: readonly JsonNode[]): boolean {
  if (items.length > field.options.length) return false;
  const places = items.map((item) => field.options.findIndex((option) => sameJson(option.value, item)));
  return !places.includes(-1) && new Set(places).size === places.length;
}

function ListBody({ field, path, wiring, items }: ArrayProps & { items: readonly JsonNode[] }) {
  const { t } = useTranslation("form");
  const form = useForm();
  const each = field.items;
  const add = () => {
    const declared = field.prefix[items.length] ?? each;
    if (declared === null) return;
    const first = initialValue(declared) ?? blankItem(declared);
    form.change((draft) => setAt(draft, [...path, items.length], first));
    requestAnimationFrame(() => document.getElementById(fieldId([...path, items.length]))?.focus());
  };
  const more = items.length < field.prefix.length || each !== null;
  return (
    <div
      {...naming(wiring)}
      role="group"
      id={wiring.id}
      tabIndex={-1}
      className={cx("flex flex-col", field.prefix.length > 0 ? "gap-3 border-l border-line pl-3.5" : "gap-1.5")}
    >
      {items.slice(0, SHOWN).map((item, index) => (
        // Items have no identity except their index.
        <Item
          key={index}
          declared={field.prefix[index] ?? each}
          path={path}
          index={index}
          count={items.length}
          value={item}
          fixed={index < field.prefix.length}
          least={field.minItems ?? 0}
        />
      ))}
      {items.length > SHOWN && <p className="m-0 text-sm text-fg-3">{t("field.moreItems", { count: items.length - SHOWN })}</p>}
      {more && items.length <= SHOWN && !form.disabled && (
        <div>
          <AddButton label={t("field.addItem")} onClick={add} />
        </div>
      )}
    </div>
  );
}

function Item({
  declared,
  path,
  index,
  count,
  value,
  fixed,
  least,
}: {
  declared: Field | null;
  path: Path;
  index: number;
  count: number;
  value: JsonNode;
  /** An item of a tuple: it can't be moved, and only the last one can be removed. */
  fixed: boolean;
  /** The minimum number of items. */
  least: number;
}) {
  const { t } = useTranslation("form");
  const form = useForm();
  const all = Array.from({ length: count }, (_, place) => place);
  const swap = (other: number) => form.change((draft) => rearrange(draft, path, all.with(index, other).with(other, index)));
  const remove = () =>
    form.change((draft) =>
      rearrange(
        draft,
        path,
        all.filter((place) => place !== index),
      ),
    );
  const number = String(index + 1);
  const title = fixed && declared !== null ? (declared.title ?? concrete(declared).title) : undefined;
  const items: MenuItem[] = [
    { label: t("field.up"), icon: ArrowUp, disabled: index === 0, onSelect: () => swap(index - 1) },
    { label: t("field.down"), icon: ArrowDown, disabled: index === count - 1, onSelect: () => swap(index + 1) },
    "separator",
    { label: t("field.remove"), icon: Trash2, onSelect: remove },
  ];
  return (
    <div className="group/item flex items-start gap-1.5">
      {title === undefined && (
        <span aria-hidden className="w-4 shrink-0 pt-1.5 text-right text-xs text-fg-3 tabular">
          {number}
        </span>
      )}
      <div className="min-w-0 flex-1">
        <form.View
          field={declared ?? anything}
          path={[...path, index]}
          name={title ?? t("field.itemNumber", { number })}
          required
          value={value}
          item
          nameless={title === undefined}
        />
      </div>
      {count > 1 && !fixed && !form.disabled && (
        <Menu items={items}>
          <IconButton
            icon={Ellipsis}
            label={t("field.more", { name: number })}
            className="opacity-0 group-focus-within/item:opacity-100 group-hover/item:opacity-100 data-[state=open]:opacity-100"
          />
        </Menu>
      )}
      {!form.disabled && (!fixed || (index === count - 1 && index >= least)) && (
        <IconButton icon={Trash2} label={t("field.removeNamed", { name: number })} onClick={remove} />
      )}
    </div>
  );
}
