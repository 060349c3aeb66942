import { Fragment, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { headOf } from "@/components/long-text";
import { Quoted, UntrustedText } from "@/components/their-voice";
import { isError } from "@/lib/schema/check";
import { sameJson } from "@/lib/schema/equal";
import { type JsonNode, pathKey } from "@/lib/schema/json";
import { concrete, type Field } from "@/lib/schema/model";
import { blankItem, initialValue } from "@/lib/schema/value";
import { betweenSentences } from "@/lib/sentence";
import { visibleLine } from "@/lib/untrusted";
import { ArrayBody } from "./array-body";
import { ChoiceBody } from "./choice-body";
import { setAt, touch } from "./draft";
import { fieldMenu } from "./field-menu";
import { FieldRow } from "./field-row";
import { type About, type BodyProps, fieldId, type FieldViewProps, hasProblemsWithin, naming, useForm } from "./form-context";
import { jsonErrorText } from "./json-error";
import { hintsOf, problemText, shortValue } from "./hints";
import { JsonPart } from "./json-part";
import { ObjectBody } from "./object-body";
import { AddButton } from "./add-button";
import { EnumControl } from "./choices";
import { BooleanControl, NumberControl, StringControl } from "./scalar";

/** How much of a pattern is shown. It may be as long as the schema. */
const PATTERN_SHOWN = 1_000;
/** Fields below this depth are edited as JSON. */
const MAX_DEPTH = 24;

/** A field of any kind with everything that belongs to it. */
export function FieldView({ field: declared, path, name, required, value, item = false, nameless = false }: FieldViewProps) {
  const { t, i18n } = useTranslation("form");
  const form = useForm();
  const field = concrete(declared);
  const about = { ...described(field), ...described(declared) };
  const key = pathKey(path);
  const raw = form.draft.raw.has(key) || path.length > MAX_DEPTH || !isShowable(field, value);
  const group = !raw && (field.kind === "object" || field.kind === "array" || field.kind === "choice");
  const problems = form.problems.get(key) ?? [];
  const shownNow = form.draft.revealed || form.draft.touched.has(key);
  const problem = problems.find((found) => !isError(found) || shownNow);
  const slip = raw ? (form.draft.parts.get(key)?.error ?? null) : null;

  const [wasOpen, setOpen] = useState(!form.folded);
  // Lists and maps are filled item by item. A group with fields is added as a whole.
  const filled = field.kind === "array" || (field.kind === "object" && field.properties.length === 0 && field.open);
  // Alternatives always have a choice, and one of them is none.
  const absent = group && field.kind !== "choice" && value === undefined && !filled;
  const foldable = group && field.kind === "object" && !nameless && !absent;
  const open = wasOpen || (form.draft.revealed && hasProblemsWithin(form.problems, path));

  const onChange = (next: JsonNode | undefined) =>
    form.change((draft) => setAt(draft, path, next ?? (item ? blankItem(field) : undefined)));

  const nullable = field.nullable || declared.nullable;
  // In a question, a nullable field may be left out.
  const mustBe = required && !(form.asked && nullable);
  const unfilled = problems.length === 0 ? form.unfilled?.get(key) : undefined;
  const sent =
    unfilled !== undefined
      ? t(unfilled.kind === "null" ? "field.nullIfBlank" : "field.emptyIfBlank")
      : value?.kind === "null" && nullable && !raw
        ? t("field.sendsNull")
        : value?.kind === "string" && value.value === "" && !raw && field.kind === "string" && !item
          ? t("field.sendsEmpty")
          : null;

  const hints: ReactNode[] = absent ? [] : hintsOf(field, t, form.unchecked);
  const joiner = betweenSentences(i18n.language);
  const add = (label: string, what: ReactNode) =>
    hints.push(
      <>
        {label}
        {joiner}
        {what}
      </>,
    );
  const typeName = field.typeName ?? declared.typeName;
  if (typeName !== undefined) add(t("hint.typeNamed"), <Quoted text={typeName} />);
  if (field.kind === "string" && field.format === "other" && field.formatName !== undefined)
    add(t("hint.formatNamed"), <Quoted text={field.formatName} />);
  const pattern = patternOf(field);
  if (pattern !== null)
    add(
      t("hint.pattern"),
      <code data-theirs className="wrap-any">
        <UntrustedText text={pattern} />
      </code>,
    );
  const { defaultValue } = about;
  const isFixed = field.kind === "enum" && field.options.length === 1;
  // A default of null means that the field may be left out, which is visible anyway.
  if (defaultValue !== undefined && defaultValue.kind !== "null" && !raw && !isFixed && (value === undefined || required))
    add(t("hint.default"), <DefaultValue field={field} value={defaultValue} />);

  const title = about.title?.trim() === "" ? undefined : about.title;
  const called = form.asked ? (title ?? name) : name;

  return (
    <FieldRow
      id={fieldId(path)}
      server={form.server}
      name={called}
      nameless={nameless}
      ruled={form.asked}
      title={form.asked ? undefined : title}
      description={about.description}
      required={mustBe && !item}
      deprecated={about.deprecated}
      sent={sent}
      warning={form.asked && field.secret === true && !item ? t("field.secret") : null}
      hints={
        hints.length === 0
          ? null
          : hints.map((hint, index) => (
              <Fragment key={index}>
                {index > 0 && " · "}
                {hint}
              </Fragment>
            ))
      }
      error={slip !== null ? jsonErrorText(slip, t) : problem === undefined ? null : problemText(problem, t)}
      menu={form.asked ? [] : fieldMenu({ field, about, path, value, raw, required, item, nullable, change: form.change, t })}
      fold={foldable ? { open, toggle: () => setOpen(!open) } : null}
      onLeave={() => form.change((draft) => touch(draft, path))}
    >
      {(wiring) => {
        if (raw) return <JsonPart path={path} item={item} secret={field.secret} wiring={wiring} />;
        if (absent && !required)
          return (
            <AddButton
              label={t("field.addNamed", { name })}
              onClick={() => onChange(initialValue(declared) ?? initialValue(field))}
              id={wiring.id}
            />
          );
        return (
          <Body
            field={field}
            path={path}
            name={name}
            required={item || mustBe}
            item={item}
            value={value}
            wiring={wiring}
            onChange={onChange}
          />
        );
      }}
    </FieldRow>
  );
}

/** The control of a field, or the fields in it. */
export function Body({ field, path, name, required, item, value, wiring, onChange }: BodyProps): ReactNode {
  const shared = { name, value, onChange, required, wiring };
  switch (field.kind) {
    case "string":
      return <StringControl {...shared} field={field} />;
    case "number":
      return <NumberControl {...shared} field={field} />;
    case "boolean":
      return <BooleanControl {...shared} field={field} />;
    case "enum":
      return <EnumControl {...shared} field={field} />;
    case "object":
      return (
        <div {...naming(wiring)} role="group" id={wiring.id} className="border-l border-line pl-3.5">
          <ObjectBody field={field} path={path} value={value} />
        </div>
      );
    case "array":
      return <ArrayBody field={field} path={path} required={required} value={value} wiring={wiring} />;
    case "choice":
      return <ChoiceBody field={field} path={path} name={name} required={required} item={item} value={value} wiring={wiring} />;
    case "null":
    case "json":
    case "never":
      return <JsonPart path={path} item={item} secret={field.secret} wiring={wiring} />;
  }
}

/** The default's name among the choices, if it is one and has a name. */
function DefaultValue({ field, value }: { field: Field; value: JsonNode }) {
  const label = field.kind === "enum" ? field.options.find((option) => sameJson(option.value, value))?.label : undefined;
  return label === undefined ? (
    <code className="wrap-any">{shortValue(value)}</code>
  ) : (
    <span data-theirs className="wrap-any">
      {visibleLine(label)}
    </span>
  );
}

function described(field: Field): About {
  const { title, description, defaultValue, examples, deprecated } = field;
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(defaultValue === undefined ? {} : { defaultValue }),
    ...(examples.length === 0 ? {} : { examples }),
    deprecated,
  };
}

function patternOf(field: Field): string | null {
  if (field.kind !== "string" || field.patterns[0] === undefined) return null;
  const all = field.patterns.join("  ");
  return all.length > PATTERN_SHOWN ? `${headOf(all, PATTERN_SHOWN)}…` : all;
}

/** Whether the field's control can show the value. Other values are shown as JSON and never changed. */
function isShowable(field: Exclude<Field, { kind: "ref" }>, value: JsonNode | undefined): boolean {
  if (field.kind === "json" || field.kind === "never" || field.kind === "null") return false;
  if (value === undefined || value.kind === "null") return true;
  switch (field.kind) {
    case "string":
      return value.kind === "string";
    case "number":
      return value.kind === "number" || value.kind === "string";
    case "boolean":
      return value.kind === "boolean";
    case "object":
      return value.kind === "object";
    case "array":
      return value.kind === "array";
    case "enum":
    case "choice":
      return true;
  }
}
