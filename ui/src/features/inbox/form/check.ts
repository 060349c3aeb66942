// The quick check while one types, of what can be counted. All else is left to the host.
import type { Problem } from "@/lib/schema/check";
import { compareDecimals, isWhole } from "@/lib/schema/decimal";
import { type JsonNode, type JsonObject, member, type Path } from "@/lib/schema/json";
import { concrete, type Field, type ObjectField } from "@/lib/schema/model";

/** What is wrong with an answer at first sight. */
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
  // An entry of a list that is still empty.
  if (value.kind === "null" && !field.nullable && (field.kind === "string" || field.kind === "number" || field.kind === "boolean"))
    return wrong("required");
  if (field.kind === "string" && value.kind === "string") {
    // The schema counts code points.
    const length = Array.from(value.value).length;
    const tooShort = field.minLength !== undefined && length < field.minLength;
    // Where nothing was typed and nothing is not enough, as of no format it is, that is all there is to say.
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
