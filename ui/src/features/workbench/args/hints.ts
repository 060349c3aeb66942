// What a form says of its own accord about a field: limits and forms, from the schema, in our words.
import type { TFunction } from "i18next";
import { type JsonNode, stringify } from "@/lib/schema/json";
import { concrete, type ArrayField, type Field, type NumberField, type ObjectField, type StringField } from "@/lib/schema/model";
import type { Problem } from "@/lib/schema/check";
import { visibleLine } from "@/lib/untrusted";

type Say = TFunction<"workbench">;

/** A value on one line, short enough to stand in a sentence. */
export function shortValue(value: JsonNode, most = 48): string {
  const text = visibleLine(value.kind === "string" ? value.value : stringify(value));
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

function numberHints(field: NumberField, t: Say): string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = field;
  const out: string[] = [];
  const whole = field.integer ? "whole" : "any";
  if (minimum !== undefined && maximum !== undefined) out.push(t("hint.between", { min: minimum, max: maximum }));
  else if (minimum !== undefined) out.push(t("hint.atLeast", { limit: minimum }));
  else if (maximum !== undefined) out.push(t("hint.atMost", { limit: maximum }));
  if (exclusiveMinimum !== undefined) out.push(t("hint.moreThan", { limit: exclusiveMinimum }));
  if (exclusiveMaximum !== undefined) out.push(t("hint.lessThan", { limit: exclusiveMaximum }));
  if (multipleOf !== undefined && multipleOf !== "1") out.push(t("hint.stepsOf", { limit: multipleOf }));
  else if (whole === "whole" && out.length === 0) out.push(t("hint.whole"));
  return out;
}

function stringHints(field: StringField, t: Say): string[] {
  const { minLength, maxLength, format } = field;
  const out: string[] = [];
  if (minLength !== undefined && minLength > 0 && maxLength !== undefined)
    out.push(t("hint.lengthBetween", { min: minLength, max: maxLength }));
  else if (minLength !== undefined && minLength > 0) out.push(t("hint.lengthAtLeast", { count: minLength }));
  else if (maxLength !== undefined) out.push(t("hint.lengthAtMost", { count: maxLength }));
  if (format === "date" || format === "date-time" || format === "time" || format === "uri" || format === "email" || format === "uuid")
    out.push(t(`hint.format.${format}`));
  return out;
}

/** So many values are offered as boxes to tick. */
const CHECKED = 16;

/** Whether a list is one of fixed values, few enough to be ticked. */
export function isChecklist(field: ArrayField): boolean {
  const each = field.items === null ? null : concrete(field.items);
  return each?.kind === "enum" && field.prefix.length === 0 && each.options.length <= CHECKED;
}

function listHints(field: ArrayField, t: Say): string[] {
  const out: string[] = [];
  if (field.minItems !== undefined && field.minItems > 0 && field.maxItems !== undefined)
    out.push(t("hint.itemsBetween", { min: field.minItems, max: field.maxItems }));
  else if (field.minItems !== undefined && field.minItems > 0) out.push(t("hint.itemsAtLeast", { count: field.minItems }));
  else if (field.maxItems !== undefined) out.push(t("hint.itemsAtMost", { count: field.maxItems }));
  // Boxes to tick cannot be ticked twice.
  if (field.uniqueItems && !isChecklist(field)) out.push(t("hint.unique"));
  return out;
}

function objectHints(field: ObjectField, t: Say): string[] {
  const out: string[] = [];
  if (field.minProperties !== undefined && field.minProperties > 0) out.push(t("hint.propertiesAtLeast", { count: field.minProperties }));
  if (field.maxProperties !== undefined) out.push(t("hint.propertiesAtMost", { count: field.maxProperties }));
  return out;
}

/** Sentences about what the field takes. */
export function hintsOf(field: Field, t: Say, uncheckedPatterns: ReadonlySet<string>): string[] {
  const out: string[] = [];
  if (field.kind === "number") out.push(...numberHints(field, t));
  if (field.kind === "string") out.push(...stringHints(field, t));
  if (field.kind === "array") out.push(...listHints(field, t));
  if (field.kind === "object") out.push(...objectHints(field, t));
  if (field.kind === "json" && field.reason !== "any") out.push(t(`form.json.${field.reason}`));
  if (field.kind === "string" && field.patterns.some((pattern) => uncheckedPatterns.has(pattern))) out.push(t("hint.unchecked"));
  return out;
}

/** A problem in words. */
export function problemText({ code, detail }: Problem, t: Say): string {
  const named = detail ?? "";
  switch (code) {
    case "wrongType":
      return t(`problem.expected.${named as "string"}`);
    case "format":
      return t(`problem.format.${named as "date"}`);
    case "minLength":
    case "maxLength":
    case "minItems":
    case "maxItems":
    case "minProperties":
    case "maxProperties":
      return t(`problem.${code}`, { count: Number(named) });
    case "uniqueItems":
      return t("problem.uniqueItems", { position: named });
    default:
      return t(`problem.${code}`, { limit: named });
  }
}
