// Additional actions on a field.
import { ArrowDownToLine, Braces, CircleSlash, Eraser, Quote, Sparkle, TextCursorInput } from "lucide-react";
import type { TFunction } from "i18next";
import type { MenuItem } from "@/components/menu";
import { type JsonNode, jsonNull, jsonString, type Path } from "@/lib/schema/json";
import type { Field } from "@/lib/schema/model";
import { type Draft, setAt, setRaw } from "./draft";
import type { About } from "./form-context";
import { shortValue } from "./hints";

/** The lines of a field's menu. */
export function fieldMenu({
  field,
  about,
  path,
  value,
  raw,
  required,
  item,
  nullable,
  change,
  t,
}: {
  field: Exclude<Field, { kind: "ref" }>;
  about: About;
  path: Path;
  value: JsonNode | undefined;
  raw: boolean;
  required: boolean;
  item: boolean;
  nullable: boolean;
  change: (edit: (draft: Draft) => Draft) => void;
  t: TFunction<"form">;
}): MenuItem[] {
  const put = (next: JsonNode | undefined) => () => change((draft) => setAt(draft, path, next));
  const items: MenuItem[] = [];
  const { defaultValue, examples = [] } = about;
  if (defaultValue !== undefined)
    items.push({
      label: t("field.useDefault", { value: shortValue(defaultValue, 24) }),
      icon: ArrowDownToLine,
      onSelect: put(defaultValue),
    });
  examples
    .slice(0, 3)
    .forEach((example) =>
      items.push({ label: t("field.useExample", { value: shortValue(example, 24) }), icon: Sparkle, onSelect: put(example) }),
    );
  if (field.kind === "string" && value === undefined)
    items.push({ label: t("field.sendEmpty"), icon: Quote, onSelect: put(jsonString("")) });
  if (nullable && value?.kind !== "null") items.push({ label: t("field.sendNull"), icon: CircleSlash, onSelect: put(jsonNull) });
  if (value !== undefined && !item)
    items.push({ label: required ? t("field.clear") : t("field.leaveOut"), icon: Eraser, onSelect: put(undefined) });
  if (field.kind !== "json" && field.kind !== "never" && field.kind !== "null") {
    if (items.length > 0) items.push("separator");
    items.push(
      raw
        ? { label: t("field.asField"), icon: TextCursorInput, onSelect: () => change((draft) => setRaw(draft, path, false)) }
        : { label: t("field.asJson"), icon: Braces, onSelect: () => change((draft) => setRaw(draft, path, true)) },
    );
  }
  return items;
}
