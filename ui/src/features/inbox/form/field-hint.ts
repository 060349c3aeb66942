// What a field takes, in our words.
import { useTranslation } from "react-i18next";
import type { FormField } from "@/ipc/bindings/FormField";

const formats = { email: "email", uri: "uri", date: "date", "date-time": "dateTime" } as const;

/** From one limit to the other, or only one of them. */
function between(min: number | null, max: number | null, say: (key: "between" | "atLeast" | "atMost" | "exactly", values: { min: number; max: number }) => string): string[] {
  if (min === null && max === null) return [];
  const values = { min: min ?? 0, max: max ?? 0 };
  if (min === null) return [say("atMost", values)];
  if (max === null) return [say("atLeast", values)];
  return [say(min === max ? "exactly" : "between", values)];
}

export function useFieldHint({ input }: FormField): string[] {
  const { t } = useTranslation("inbox");
  switch (input.kind) {
    case "text": {
      const { format, pattern, minLength, maxLength } = input;
      const known = format === "email" || format === "uri" || format === "date" || format === "date-time" ? [t(`form.format.${formats[format]}`)] : [];
      const length = between(minLength === 0 ? null : minLength, maxLength, (key, values) => t(`form.length.${key}`, values));
      return [...known, ...length, ...(pattern === null ? [] : [t("form.pattern")])];
    }
    case "number":
      return [t(input.integer ? "form.integer" : "form.number"), ...between(input.minimum, input.maximum, (key, values) => t(`form.range.${key}`, values))];
    case "some":
      return between(input.minItems === 0 ? null : input.minItems, input.maxItems, (key, values) => t(`form.items.${key}`, values));
    case "boolean":
    case "one":
      return [];
  }
}
