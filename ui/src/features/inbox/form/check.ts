// A quick check while typing, of lengths and counts. The host checks everything else.
import type { Problem } from "@/lib/schema/check";
import { compareDecimals, isWhole } from "@/lib/schema/decimal";
import { type JsonNode, type JsonObject, member, type Path } from "@/lib/schema/json";
import { concrete, type Field, type ObjectField } from "@/lib/schema/model";

/** The problems that the quick check finds. */
export function quickProblems({ properties }: ObjectField, answer: JsonObject): Problem[] {
  return properties.flatMap(({ name, field, required }) => {
    const value = member(answer, name);
    if (value !== undefined) return wrongIn(field, value, [name]);
    return required ? [{ path: [name], code: "required", detail: null }] : [];
  });
}

function wrongIn(declared: Field, value: JsonNode, path: Path): Problem[] {
  const field = concrete(declared);
  const wrong = (code: Problem["code"], limit: string | number | null = null): Problem[] => [
    { path, code, detail: limit === null ? null : String(limit) },
  ];
  // An empty item of a list.
  if (value.kind === "null" && !field.nullable && (field.kind === "string" || field.kind === "number" || field.kind === "boolean"))
    return wrong("required");
  if (field.kind === "string" && value.kind === "string") {
    // The schema counts code points.
    const length = Array.from(value.value).length;
    const tooShort = field.minLength !== undefined && length < field.minLength;
    // If an empty text is too short or doesn't have the format, only say that it is required.
    if (length === 0 && (tooShort || field.format !== undefined)) return wrong("required");
    if (tooShort) return wrong("minLength", field.minLength);
    return field.maxLength !== undefined && length > field.maxLength ? wrong("maxLength", field.maxLength) : [];
  }
  if (field.kind === "number") {
    if (value.kind !== "number") return value.kind === "null" ? [] : wrong("notNumber");
    const { minimum, maximum } = field;
    if (field.integer && !isWhole(value.text)) return wrong("notInteger");
    if (minimum !== undefined && compareDecimals(value.text, minimum) === -1) return wrong("minimum", minimum);
    return maximum !== undefined && compareDecimals(value.text, maximum) === 1 ? wrong("maximum", maximum) : [];
  }
  if (field.kind === "array" && value.kind === "array") {
    const { minItems = 0, maxItems = Infinity, items } = field;
    if (value.items.length < minItems) return wrong("minItems", minItems);
    if (value.items.length > maxItems) return wrong("maxItems", maxItems);
    return items === null ? [] : value.items.flatMap((item, index) => wrongIn(items, item, [...path, index]));
  }
  return [];
}
