// Converts a server's form to the page's model of forms. Defaults are left out: they are filled in and not offered
// again.
import type { FormChoice } from "@/ipc/bindings/FormChoice";
import type { FormField } from "@/ipc/bindings/FormField";
import type { FormInput } from "@/ipc/bindings/FormInput";
import { jsonString } from "@/lib/schema/json";
import { plain } from "@/lib/schema/leaves";
import type { ArrayField, ChoiceField, EnumOption, Field, ObjectField } from "@/lib/schema/model";
import { parseJson } from "@/lib/schema/parse";

/** The form of these fields. */
export function formOf(fields: readonly FormField[]): ObjectField {
  return {
    ...plain,
    kind: "object",
    properties: fields.map(({ name, required, title, description, nullable, looksSecret, input }) => ({
      name,
      required,
      field: { ...fieldOf(input, looksSecret), title: title || undefined, description: description || undefined, nullable },
    })),
    additional: null,
    open: false,
    minProperties: undefined,
    maxProperties: undefined,
    alsoRequired: [],
  };
}

const isKnown = (format: string) => format === "email" || format === "uri" || format === "date" || format === "date-time";
const text = (limit: number | null) => (limit === null ? undefined : String(limit));

function fieldOf(input: FormInput, secret: boolean): Exclude<Field, { kind: "ref" }> {
  const about = { ...plain, secret };
  switch (input.kind) {
    case "text": {
      const { format, pattern } = input;
      return {
        ...about,
        kind: "string",
        minLength: input.minLength ?? undefined,
        maxLength: input.maxLength ?? undefined,
        patterns: pattern === null ? [] : [pattern],
        format: format === null ? undefined : isKnown(format) ? format : "other",
        formatName: format ?? undefined,
      };
    }
    case "number":
      return {
        ...about,
        kind: "number",
        integer: input.integer,
        minimum: text(input.minimum),
        maximum: text(input.maximum),
        exclusiveMinimum: undefined,
        exclusiveMaximum: undefined,
        multipleOf: undefined,
      };
    case "boolean":
      return { ...about, kind: "boolean" };
    case "one":
      return { ...about, kind: "enum", options: input.choices.map(optionOf) };
    case "some":
      return listOf({ ...about, kind: "enum", options: input.choices.map(optionOf) }, input, true);
    case "list":
      return listOf(fieldOf(input.of, secret), input, false);
    case "either":
      return oneOf(input.kinds.map((kind) => fieldOf(kind, secret)));
    case "any":
      return oneOf([
        fieldOf({ kind: "text", minLength: null, maxLength: null, pattern: null, format: null }, secret),
        { ...about, kind: "json", reason: "any", type: undefined },
      ]);
  }
  function oneOf(fields: readonly Field[]): ChoiceField {
    return { ...about, kind: "choice", choices: fields.map((field) => ({ branch: undefined, label: undefined, field })) };
  }
  function listOf(items: Field, { minItems, maxItems }: { minItems: number | null; maxItems: number | null }, unique: boolean): ArrayField {
    return {
      ...about,
      kind: "array",
      prefix: [],
      items,
      minItems: minItems ?? undefined,
      maxItems: maxItems ?? undefined,
      uniqueItems: unique,
    };
  }
}

function optionOf({ value, title, json }: FormChoice): EnumOption {
  const parsed = json === undefined ? null : parseJson(json);
  return { value: parsed?.ok === true ? parsed.node : jsonString(value), label: title?.trim() ? title : undefined, description: undefined };
}
