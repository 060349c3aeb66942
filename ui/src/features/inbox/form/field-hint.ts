// What a field takes, in our words.
import { useTranslation } from "react-i18next";
import type { FormField } from "@/ipc/bindings/FormField";
import type { FormInput } from "@/ipc/bindings/FormInput";
import { formatCount, formatNumber } from "@/lib/format";
import { mistakeOf } from "./check";
import { answerOf, type Value } from "./values";

const formats = { email: "email", uri: "uri", date: "date", "date-time": "dateTime" } as const;

/** From one limit to the other, or only one of them. */
function between(
  min: number | null,
  max: number | null,
  format: (value: number) => string,
  say: (key: "between" | "atLeast" | "atMost" | "exactly", values: { min: string; max: string }) => string,
): string[] {
  if (min === null && max === null) return [];
  const values = { min: format(min ?? 0), max: format(max ?? 0) };
  if (min === null) return [say("atMost", values)];
  if (max === null) return [say("atLeast", values)];
  return [say(min === max ? "exactly" : "between", values)];
}

/** What stands in the field goes out empty, and as far as we can tell that is taken. */
function goesEmpty(field: FormField, value: Value): boolean {
  const answer = answerOf(field, value);
  const isText = (field.input.kind === "text" && field.input.pattern === null) || field.input.kind === "list";
  const empty = Array.isArray(answer) ? answer.length === 0 : isText && answer === "";
  return empty && mistakeOf(field, value) === null;
}

/** Nothing stands in it, and null goes out for that. */
const asNull = (field: FormField, value: Value): boolean => field.required && field.nullable && answerOf(field, value) === null;

export function useFieldHint(field: FormField, value: Value): string[] {
  const { input } = field;
  const { t, i18n } = useTranslation("inbox");
  const count = (value: number) => formatCount(value, i18n.language);
  const empty = goesEmpty(field, value) ? [t("form.sentEmpty")] : asNull(field, value) ? [t("form.sentNull")] : [];
  const kind = (of: FormInput): string => {
    if (of.kind === "number") return t(of.integer ? "form.integer" : "form.number");
    if (of.kind === "either") return new Intl.ListFormat(i18n.language, { type: "disjunction" }).format(new Set(of.kinds.map(kind)));
    return t(`form.kind.${of.kind}`);
  };
  switch (input.kind) {
    case "text": {
      const { format, pattern, minLength, maxLength } = input;
      const known =
        format === "email" || format === "uri" || format === "date" || format === "date-time" ? [t(`form.format.${formats[format]}`)] : [];
      const length = between(minLength === 0 ? null : minLength, maxLength, count, (key, values) => t(`form.length.${key}`, values));
      return [...known, ...length, ...(pattern === null ? [] : [t("form.pattern")]), ...empty];
    }
    case "number":
      return [
        t(input.integer ? "form.integer" : "form.number"),
        ...between(
          input.minimum,
          input.maximum,
          (value) => formatNumber(value, i18n.language),
          (key, values) => t(`form.range.${key}`, values),
        ),
        ...empty,
      ];
    case "some":
      return [
        ...between(input.minItems === 0 ? null : input.minItems, input.maxItems, count, (key, values) => t(`form.items.${key}`, values)),
        ...empty,
      ];
    case "list": {
      const entries = between(input.minItems === 0 ? null : input.minItems, input.maxItems, count, (key, values) =>
        t(`form.items.${key}`, values),
      );
      return [t("form.onePerLine"), ...(input.of.kind === "text" ? [] : [kind(input.of)]), ...entries, ...empty];
    }
    case "either":
      return [kind(input), ...empty];
    case "any":
      return [t("form.any"), ...empty];
    case "boolean":
    case "one":
      return empty;
  }
}
