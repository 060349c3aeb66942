// Arguments of tools that are few and simple enough to be typed in the palette.

export interface Argument {
  readonly name: string;
  readonly type: "text" | "number" | "boolean";
  /** The possible values, if they are listed. */
  readonly choices: readonly string[] | null;
  readonly required: boolean;
}

const MOST = 4;
const types: ReadonlyMap<string, Argument["type"]> = new Map([
  ["string", "text"],
  ["number", "number"],
  ["integer", "number"],
  ["boolean", "boolean"],
]);

/** Keywords that may be next to the type, because the Workbench checks them anyway. */
const HARMLESS = new Set([
  "type",
  "title",
  "description",
  "default",
  "examples",
  "enum",
  "format",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "pattern",
]);

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);
const texts = (value: unknown): value is string[] => Array.isArray(value) && value.every((item) => typeof item === "string");

function argumentOf(name: string, schema: unknown, required: boolean): Argument | null {
  if (!isObject(schema) || typeof schema["type"] !== "string" || !Object.keys(schema).every((key) => HARMLESS.has(key))) return null;
  const type = types.get(schema["type"]);
  const choices = schema["enum"] ?? null;
  if (type === undefined || (choices !== null && !(type === "text" && texts(choices) && choices.length > 0 && !choices.includes(""))))
    return null;
  return { name, type, choices: texts(choices) ? choices : null, required };
}

/** The arguments of this JSON Schema, required ones first. Null if there are none, or one isn't simple. */
export function simpleArguments(schema: string | null): readonly Argument[] | null {
  let root: unknown;
  try {
    root = JSON.parse(schema ?? "");
  } catch {
    return null;
  }
  if (!isObject(root) || !isObject(root["properties"])) return null;
  if (["anyOf", "oneOf", "allOf", "not", "if", "$ref", "patternProperties"].some((key) => key in root)) return null;
  const required = texts(root["required"]) ? root["required"] : [];
  const found = Object.entries(root["properties"]).map(([name, property]) => argumentOf(name, property, required.includes(name)));
  const simple = found.filter((one) => one !== null);
  if (simple.length !== found.length || simple.length === 0 || simple.length > MOST) return null;
  return simple.toSorted((one, other) => Number(other.required) - Number(one.required));
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Whether the typed text is valid for the argument. An empty text leaves it out. */
export const isWritten = ({ type }: Argument, typed: string): boolean =>
  type !== "number" || typed.trim() === "" || NUMBER.test(typed.trim());

/** The arguments as JSON text. Numbers stay as typed, and empty ones are left out. */
export function argumentsText(list: readonly Argument[], typed: ReadonlyMap<string, string>): string {
  const members = list.flatMap(({ name, type }) => {
    const value = typed.get(name) ?? "";
    if (value === "") return [];
    return [`${JSON.stringify(name)}: ${type === "text" ? JSON.stringify(value) : value.trim()}`];
  });
  return `{${members.join(", ")}}`;
}
