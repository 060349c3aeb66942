import { Trash2 } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { Input } from "@/components/input";
import { composing } from "@/lib/composing";
import type { JsonNode, Path } from "@/lib/schema/json";
import { concrete, type ObjectField } from "@/lib/schema/model";
import { anything, blankItem, initialValue } from "@/lib/schema/value";
import { visibleLine } from "@/lib/untrusted";
import { AddButton } from "./add-button";
import { rename, setAt } from "./draft";
import { fieldId, useForm } from "./form-context";

/** The members of an object: first those in the schema, then the others. */
export function ObjectBody({ field, path, value }: { field: ObjectField; path: Path; value: JsonNode | undefined }) {
  const { t } = useTranslation("form");
  const { View } = useForm();
  const members = value?.kind === "object" ? value.members : [];
  const values = new Map(members.map((entry) => [entry.key, entry.value]));
  const named = new Set(field.properties.map((property) => property.name));
  // A member that must not exist is hidden, unless it exists.
  const shown = field.properties.filter(({ name, required, field: own }) => required || values.has(name) || concrete(own).kind !== "never");
  const others = [...values.keys()].filter((name) => !named.has(name));
  return (
    <div className="flex flex-col gap-3.5">
      {shown.map((property) => (
        <View
          key={property.name}
          field={property.field}
          path={[...path, property.name]}
          name={property.name}
          required={property.required}
          value={values.get(property.name)}
        />
      ))}
      {others.length > 0 && !field.open && <h4 className="m-0 text-xs font-semibold text-fg-3">{t("field.unknown")}</h4>}
      {others.map((name) => (
        <OtherMember key={name} field={field} path={path} name={name} value={values.get(name)} taken={values} />
      ))}
      {field.open && <AddMember field={field} path={path} taken={values} />}
    </div>
  );
}

/** A member that isn't in the schema. It can be renamed and removed. */
function OtherMember({
  field,
  path,
  name,
  value,
  taken,
}: {
  field: ObjectField;
  path: Path;
  name: string;
  value: JsonNode | undefined;
  taken: ReadonlyMap<string, JsonNode>;
}) {
  const { t } = useTranslation("form");
  const form = useForm();
  const [typed, setTyped] = useState<string | null>(null);
  const settle = () => {
    const next = typed;
    setTyped(null);
    if (next !== null && next !== name && !taken.has(next)) form.change((draft) => rename(draft, path, name, next));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (composing(event.nativeEvent)) return;
    if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) settle();
    if (event.key === "Escape") setTyped(null);
  };
  return (
    <div className="flex items-start gap-1.5">
      <Input
        aria-label={t("field.memberName", { name: visibleLine(name) })}
        aria-invalid={typed !== null && typed !== name && taken.has(typed) ? true : undefined}
        value={typed ?? name}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={settle}
        onKeyDown={onKeyDown}
        className="w-36! shrink-0 font-[560]"
      />
      <div className="min-w-0 flex-1">
        <form.View field={field.additional ?? anything} path={[...path, name]} name={name} required value={value} nameless item />
      </div>
      <IconButton
        icon={Trash2}
        label={t("field.removeNamed", { name: visibleLine(name) })}
        onClick={() => form.change((draft) => setAt(draft, [...path, name], undefined))}
      />
    </div>
  );
}

/** A new member of an open map: first its name, then its value. */
function AddMember({ field, path, taken }: { field: ObjectField; path: Path; taken: ReadonlyMap<string, JsonNode> }) {
  const { t } = useTranslation("form");
  const form = useForm();
  const [name, setName] = useState<string | null>(null);
  const add = () => {
    if (name === null || name === "" || taken.has(name) || field.additional === null) return;
    const first = initialValue(field.additional) ?? blankItem(field.additional);
    form.change((draft) => setAt(draft, [...path, name], first));
    setName(null);
    requestAnimationFrame(() => document.getElementById(fieldId([...path, name]))?.focus());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (composing(event.nativeEvent)) return;
    if (event.key === "Escape") setName(null);
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    add();
  };
  if (name === null)
    return (
      <div>
        <AddButton label={t("field.addMember")} onClick={() => setName("")} />
      </div>
    );
  return (
    <Input
      // The person just added it, so it gets the focus.
      // oxlint-disable-next-line jsx-a11y/no-autofocus
      autoFocus
      aria-label={t("field.newName")}
      placeholder={t("field.newName")}
      aria-invalid={taken.has(name) ? true : undefined}
      value={name}
      onChange={(event) => setName(event.target.value)}
      onBlur={() => (name === "" ? setName(null) : add())}
      onKeyDown={onKeyDown}
      className="w-56!"
    />
  );
}
