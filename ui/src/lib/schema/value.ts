/** The initial values of a form, and new items of a list. */
import { jsonArray, jsonNull, jsonObject, jsonString, type JsonMember, type JsonNode } from "./json";
import { plain } from "./leaves";
import { concrete, type Field, type JsonField } from "./model";

/** Without a schema: any value, edited as JSON. */
export const anything: JsonField = { ...plain, kind: "json", reason: "any", type: undefined };

/** The largest initial value, in characters, because nested parts multiply. */
const FIRST_VALUE = 512 * 1024;
/** The approximate cost of a part in addition to its text. */
const PART = 256;

/**
 * The initial value of a required field: its default, its only possible value, or an empty container with its required
 * parts. `undefined` leaves it to the person.
 */
export function initialValue(field: Field): JsonNode | undefined {
  return firstValue(field, 0, { left: FIRST_VALUE });
}

function firstValue(field: Field, depth: number, room: { left: number }): JsonNode | undefined {
  room.left -= PART;
  const here = concrete(field);
  const preset = field.defaultValue ?? (depth > 8 ? undefined : here.defaultValue);
  if (preset !== undefined) {
    room.left -= preset.to - preset.from;
    return room.left < 0 ? undefined : preset;
  }
  if (depth > 8 || room.left < 0) return undefined;
  switch (here.kind) {
    case "null":
      return jsonNull;
    case "enum":
      return here.options.length === 1 ? here.options[0]?.value : undefined;
    case "object": {
      const members: JsonMember[] = [];
      for (const property of here.properties) {
        const value = property.required ? firstValue(property.field, depth + 1, room) : undefined;
        if (value !== undefined) members.push({ key: property.name, value });
      }
      return jsonObject(members);
    }
    case "array":
      return jsonArray(here.prefix.map((item) => firstValue(item, depth + 1, room) ?? blankItem(item)));
    case "choice": {
      const [first] = here.choices;
      return first === undefined ? undefined : firstValue(first.field, depth + 1, room);
    }
    default:
      return undefined;
  }
}

/** A new item of a list, where nothing can be left out: empty text, or null to be filled. */
export function blankItem(field: Field): JsonNode {
  const here = concrete(field);
  if (here.kind === "string" && here.format === undefined) return jsonString("");
  return jsonNull;
}

/** How many fields are visible when all required ones are expanded. Stops counting at `most`. */
export function shownFields(field: Field, most: number): number {
  let counted = 0;
  const walk = (declared: Field, trail: readonly Field[]): void => {
    counted += 1;
    const here = concrete(declared);
    if (counted >= most || trail.includes(here)) return;
    const inner = [...trail, here];
    if (here.kind === "object") for (const property of here.properties) walk(property.field, inner);
    else if (here.kind === "choice" && here.choices[0] !== undefined) walk(here.choices[0].field, inner);
  };
  walk(field, []);
  return Math.min(counted, most);
}
