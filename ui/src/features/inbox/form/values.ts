// What a person enters into a form: kept as typed, turned into JSON text only on its way out.
import type { FormField } from "@/ipc/bindings/FormField";
import { stringify } from "@/lib/schema/json";
import { parseJson } from "@/lib/schema/parse";
import { isNumber, jsonOf, jsonOfChoice, keyOf, typedOf } from "./written";

/** Text as typed (also of numbers and of a single choice), yes or no, several choices; null: no answer. */
export type Value = string | boolean | readonly string[] | null;
/** By the field's name. A map, because names are the server's and may be anything. */
export type Values = ReadonlyMap<string, Value>;

/** A field for which leaving it empty is an answer as well: nothing, or null where something has to stand there. */
export const mayBeEmpty = (field: FormField): boolean => !field.required || field.nullable;

/** A value of a draft as this field's control holds it; null where it does not fit. */
function held({ input }: Pick<FormField, "input">, value: unknown): Value {
  switch (input.kind) {
    case "text":
      return typeof value === "string" ? value : null;
    case "number":
      return typeof value === "number" || typeof value === "string" ? String(value) : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "one":
      return typeof value === "string" && input.choices.some((choice) => keyOf(choice) === value) ? value : null;
    case "some":
      return Array.isArray(value) ? input.choices.map(keyOf).filter((choice) => value.includes(choice)) : null;
    case "list":
    case "either":
    case "any":
      return typeof value === "string" ? value : null;
  }
}

/** What the server proposes, as this field's control holds it. */
function proposed({ input, default: json }: FormField): Value {
  if (json === null) return null;
  switch (input.kind) {
    case "text":
    case "boolean":
      return held({ input }, parsed(json));
    case "number":
      // A number keeps its digits: read as one of ours it would lose those beyond 2^53.
      return isNumber(json) ? json.trim() : null;
    case "one": {
      const choice = input.choices.find((each) => jsonOfChoice(each) === json.trim());
      return choice === undefined ? null : keyOf(choice);
    }
    case "some": {
      const list = parseJson(json);
      if (!list.ok || list.node.kind !== "array") return null;
      const wanted = new Set(list.node.items.map((item) => stringify(item)));
      return input.choices.filter((choice) => wanted.has(jsonOfChoice(choice))).map(keyOf);
    }
    case "list":
    case "either":
    case "any":
      return typedOf(input, json);
  }
}

function parsed(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // not JSON: as if it were not there
  }
}

/** What the form begins with: what was kept of an earlier look, else the server's proposals. */
export function firstValues(fields: readonly FormField[], draft: string | null): Values {
  const kept = parsed(draft);
  const entries: readonly [string, unknown][] = typeof kept === "object" && kept !== null ? Object.entries(kept) : [];
  const before = new Map(entries);
  return new Map(
    fields.map((field): [string, Value] => {
      // A draft that leaves a field out says that it was emptied; secrets are never kept.
      if (draft !== null && !field.looksSecret) return [field.name, held(field, before.get(field.name))];
      // A proposal for a secret is no secret of the person.
      if (field.looksSecret) return [field.name, null];
      return [field.name, proposed(field)];
    }),
  );
}

/** What is answered with what stands in a field; null: nothing, the field is left out. */
export function answerOf(field: FormField, value: Value | undefined): Value {
  const entered = value ?? null;
  const { input, required } = field;
  switch (input.kind) {
    case "text": {
      if (entered !== null && entered !== "") return entered;
      // An empty box is an empty text where there has to be one, and where the server proposes just that.
      const isProposed = !field.looksSecret && parsed(field.default) === "";
      return (required && !field.nullable) || isProposed ? "" : null;
    }
    case "number":
    case "either":
    case "any":
      return typeof entered === "string" && entered.trim() === "" ? null : entered;
    case "list": {
      if (typeof entered === "string" && entered.trim() !== "") return entered;
      // None at all, where there has to be a list, and where the server proposes just that.
      return (input.minItems ?? 0) === 0 && ((required && !field.nullable) || field.default === "[]") ? "" : null;
    }
    case "some": {
      if (Array.isArray(entered) && entered.length > 0) return entered;
      // None of them, where that is allowed: chosen as such, or because there has to be an answer.
      if ((input.minItems ?? 0) > 0) return null;
      return required && !field.nullable ? [] : entered;
    }
    case "boolean":
    case "one":
      return entered;
  }
}

function written({ input }: FormField, value: Value): string {
  if (input.kind === "some" && Array.isArray(value))
    return `[${input.choices
      .filter((choice) => value.includes(keyOf(choice)))
      .map(jsonOfChoice)
      .join(",")}]`;
  if (typeof value !== "string" || input.kind === "text") return JSON.stringify(value);
  if (input.kind === "one") {
    const choice = input.choices.find((each) => keyOf(each) === value);
    return choice === undefined ? JSON.stringify(value) : jsonOfChoice(choice);
  }
  // What is no such value is named as a mistake and not sent.
  return jsonOf(input, value) ?? JSON.stringify(value);
}

/** The answer as JSON text, exactly as it leaves: what has no answer is left out, or null where it has to stand there and may be that; numbers keep their digits. */
export function contentOf(fields: readonly FormField[], values: Values): string {
  const members = fields.flatMap((field) => {
    const answer = answerOf(field, values.get(field.name));
    if (answer === null && !(field.required && field.nullable)) return [];
    return [`${JSON.stringify(field.name)}:${answer === null ? "null" : written(field, answer)}`];
  });
  return `{${members.join(",")}}`;
}

/** What may be kept for later: all but what looks like a secret. */
export function draftOf(fields: readonly FormField[], values: Values): string {
  const members = fields.flatMap(({ name, looksSecret, input }) => {
    const value = values.get(name) ?? null;
    const blank = value === null || (value === "" && input.kind !== "one");
    return looksSecret || blank ? [] : [`${JSON.stringify(name)}:${JSON.stringify(value)}`];
  });
  return `{${members.join(",")}}`;
}
