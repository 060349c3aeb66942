// Our hints about a field, from the schema's limits and formats.
import type { TFunction } from "i18next";
import { type JsonNode, stringify } from "@/lib/schema/json";
import { concrete, type ArrayField, type Field, type NumberField } from "@/lib/schema/model";
import type { Problem } from "@/lib/schema/check";
import { visibleLine } from "@/lib/untrusted";

type Say = TFunction<"form">;

/** A value on one line, short enough for a sentence. */
export function shortValue(value: JsonNode, most = 48): string {
  const text = visibleLine(value.kind === "string" ? value.value : stringify(value));
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** Writes a large limit with digits instead of as `1e+21`. */
function digits(limit: string): string {
  const [, sign = "", whole = "", part = "", power] = /^(-?)(\d+)(?:\.(\d+))?[eE]\+?(\d{1,2})$/.exec(limit) ?? [];
  const zeros = Number(power) - part.length;
  return zeros >= 0 ? `${sign}${whole}${part}${"0".repeat(zeros)}` : limit;
}

function numberHints(field: NumberField, t: Say): string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = field;
  const out: string[] = [];
  if (multipleOf !== undefined && multipleOf !== "1") out.push(t("hint.stepsOf", { limit: digits(multipleOf) }));
  else if (field.integer) out.push(t("hint.whole"));
  if (minimum !== undefined && minimum === maximum) out.push(t("hint.exactly", { limit: digits(minimum) }));
  else if (minimum !== undefined && maximum !== undefined) out.push(t("hint.between", { min: digits(minimum), max: digits(maximum) }));
  else if (minimum !== undefined) out.push(t("hint.atLeast", { limit: digits(minimum) }));
  else if (maximum !== undefined) out.push(t("hint.atMost", { limit: digits(maximum) }));
  if (exclusiveMinimum !== undefined) out.push(t("hint.moreThan", { limit: digits(exclusiveMinimum) }));
  if (exclusiveMaximum !== undefined) out.push(t("hint.lessThan", { limit: digits(exclusiveMaximum) }));
  return out;
}

/** The allowed number of characters, items or properties. */
function countHints(of: "length" | "items" | "properties", least: number | undefined, most: number | undefined, t: Say): string[] {
  const min = least === 0 ? undefined : least;
  if (min === undefined) return most === undefined ? [] : [t(`hint.${of}AtMost`, { count: most })];
  if (most === undefined) return [t(`hint.${of}AtLeast`, { count: min })];
  return [min === most ? t(`hint.${of}Exactly`, { count: min }) : t(`hint.${of}Between`, { min, max: most })];
}

/** How many values are shown as check boxes. A server's question shows all. */
const CHECKED = 16;

/** Whether a list has few enough fixed values for check boxes. */
export function isChecklist(field: ArrayField, most = CHECKED): boolean {
  const each = field.items === null ? null : concrete(field.items);
  return each?.kind === "enum" && field.prefix.length === 0 && each.options.length <= most;
}

/** The hints about what a field accepts. */
export function hintsOf(field: Field, t: Say, uncheckedPatterns: ReadonlySet<string>): string[] {
  switch (field.kind) {
    case "number":
      return numberHints(field, t);
    case "string": {
      const { format, patterns } = field;
      const known = format === undefined || format === "password" || format === "other" ? [] : [t(`hint.format.${format}`)];
      const unchecked = patterns.some((pattern) => uncheckedPatterns.has(pattern)) ? [t("hint.unchecked")] : [];
      return [...countHints("length", field.minLength, field.maxLength, t), ...known, ...unchecked];
    }
    case "array":
      // Check boxes can't have duplicates.
      return [
        ...countHints("items", field.minItems, field.maxItems, t),
        ...(field.uniqueItems && !isChecklist(field) ? [t("hint.unique")] : []),
      ];
    case "object":
      return countHints("properties", field.minProperties, field.maxProperties, t);
    case "json":
      return field.reason === "any" ? [] : [t(`asJson.${field.reason}`)];
    default:
      return [];
  }
}

/** The text of a problem. */
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
    case "said":
      return named;
    default:
      return t(`problem.${code}`, { limit: named });
  }
}
