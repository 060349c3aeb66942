import { useTranslation } from "react-i18next";
import { Select } from "@/components/select";
import { type JsonNode, type Path, pathKey } from "@/lib/schema/json";
import { type ChoiceField, type Choice, concrete } from "@/lib/schema/model";
import { blankItem } from "@/lib/schema/value";
import { visibleLine } from "@/lib/untrusted";
import { choose, chosenAt, fillChosen, setAt } from "./draft";
import { useForm, type Wiring } from "./form-context";
import { shortValue } from "./hints";
import { JsonPart } from "./json-part";
import { TheirNote } from "./their-note";

const LEFT_OUT = "none";

/**
 * Alternatives: a choice, if any, and its fields. The values of another alternative come back when it is chosen again.
 */
export function ChoiceBody({
  field,
  path,
  name,
  label,
  required,
  item,
  value,
  wiring,
  nested = false,
}: {
  field: ChoiceField;
  path: Path;
  name: string;
  /** The label of the choice, if the field's name doesn't describe it. */
  label?: string;
  required: boolean;
  item: boolean;
  value: JsonNode | undefined;
  wiring: Wiring;
  /** Inside an alternative: the choice at this path is that one. */
  nested?: boolean;
}) {
  const { t } = useTranslation("form");
  const form = useForm();
  const chosen = chosenAt(form.draft, path, field) ?? (required ? 0 : null);
  const choice = chosen === null ? undefined : field.choices[chosen];
  const inner = choice === undefined ? undefined : concrete(choice.field);
  const options = field.choices.map((option, index) => ({
    value: String(index),
    label: choiceLabel(
      option,
      index,
      (kind) => t(`kind.${kind}`),
      (count) => t("field.alternative", { count }),
    ),
  }));
  const described = choice?.field.description ?? inner?.description;
  const put = (next: JsonNode | undefined) =>
    form.change((draft) => (nested || chosen === null ? setAt(draft, path, next) : fillChosen(draft, path, chosen, next)));
  const { "aria-labelledby": labelledBy, "aria-label": ownName = "" } = wiring;
  const selectId = inner !== undefined && isScalar(inner.kind) ? `${wiring.id}-choice` : wiring.id;
  const within: Wiring = { ...wiring, id: inner !== undefined && isScalar(inner.kind) ? wiring.id : `${wiring.id}-body` };
  const leftOut = t(form.asked ? "field.noAnswer" : "field.notSet");
  return (
    <div className="flex flex-col gap-2">
      <Select
        id={selectId}
        aria-labelledby={labelledBy === undefined || label !== undefined ? undefined : `${selectId} ${labelledBy}`}
        aria-label={label ?? `${t("field.alternatives")} ${ownName}`.trim()}
        value={chosen === null ? LEFT_OUT : String(chosen)}
        options={required ? options : [{ value: LEFT_OUT, label: leftOut }, ...options]}
        onChange={(next) => form.change((draft) => choose(draft, path, field, next === LEFT_OUT ? null : Number(next), item))}
        disabled={form.disabled}
        className="w-full max-w-80"
      />
      {described !== undefined && described !== field.description && <TheirNote server={form.server} text={described} />}
      {chosen === null || inner?.kind === "null" ? null : inner?.kind === "choice" ? (
        <ChoiceBody nested field={inner} path={path} name={name} required item={item} value={value} wiring={within} />
      ) : inner === undefined || inner.kind === "json" || inner.kind === "never" || path.length > 24 ? (
        <JsonPart path={path} item={item} secret={inner?.secret} wiring={within} />
      ) : (
        <form.Body
          key={`${pathKey(path)}#${chosen}`}
          field={inner}
          path={path}
          name={name}
          required={required}
          item={item}
          value={value}
          wiring={within}
          onChange={(next) => put(next ?? (item ? blankItem(inner) : undefined))}
        />
      )}
    </div>
  );
}

const isScalar = (kind: string) => kind === "string" || kind === "number" || kind === "boolean" || kind === "enum";

type Kind = "string" | "number" | "integer" | "boolean" | "enum" | "object" | "array" | "null" | "json" | "choice" | "never";

/** The label of an alternative: its title, its definition's name, its fixed value, or its kind. */
function choiceLabel(choice: Choice, index: number, kindName: (kind: Kind) => string, numbered: (count: number) => string): string {
  const inner = concrete(choice.field);
  const title = choice.label ?? choice.field.title ?? inner.title;
  if (title !== undefined) return visibleLine(title);
  if (choice.field.kind === "ref" && choice.field.name !== "") return visibleLine(choice.field.name);
  if (inner.kind === "object") {
    for (const property of inner.properties) {
      const fixed = concrete(property.field);
      if (fixed.kind === "enum" && fixed.options.length === 1 && fixed.options[0] !== undefined) return shortValue(fixed.options[0].value);
    }
    return numbered(index + 1);
  }
  if (inner.kind === "enum" && inner.options.length === 1 && inner.options[0] !== undefined) return shortValue(inner.options[0].value);
  return kindName(inner.kind === "number" && inner.integer ? "integer" : inner.kind);
}
