// What a person enters into a form: kept as typed, turned into JSON text only on its way out.
import type { FormField } from "@/ipc/bindings/FormField";

/** Text as typed (also of numbers and of a single choice), yes or no, several choices; null: no answer. */
export type Value = string | boolean | readonly string[] | null;
/** By the field's name. A map, because names are the server's and may be anything. */
export type Values = ReadonlyMap<string, Value>;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Whether a text is a number as JSON writes it. */
export const isNumber = (text: string): boolean => NUMBER.test(text.trim()) && Number.isFinite(Number(text));

/** A JSON value as this field's control holds it; null where it does not fit. */
function held({ input }: FormField, value: unknown): Value {
  switch (input.kind) {
    case "text":
      return typeof value === "string" ? value : null;
    case "number":
      return typeof value === "number" || typeof value === "string" ? String(value) : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "one":
      return typeof value === "string" && input.choices.some((choice) => choice.value === value) ? value : null;
    case "some":
      return Array.isArray(value) ? input.choices.map((choice) => choice.value).filter((choice) => value.includes(choice)) : null;
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
      // A number keeps its digits: read as one of ours it would lose those beyond 2^53.
      if (field.input.kind === "number" && field.default !== null && isNumber(field.default)) return [field.name, field.default.trim()];
      return [field.name, held(field, parsed(field.default))];
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
      const proposed = !field.looksSecret && parsed(field.default) === "";
      return required || proposed ? "" : null;
    }
    case "number":
      return entered === "" ? null : entered;
    case "some": {
      if (Array.isArray(entered) && entered.length > 0) return entered;
      // None of them, where that is allowed: chosen as such, or because there has to be an answer.
      if ((input.minItems ?? 0) > 0) return null;
      return required ? [] : entered;
    }
    case "boolean":
    case "one":
      return entered;
  }
}

function written(field: FormField, value: Value): string {
  if (field.input.kind === "number" && typeof value === "string" && isNumber(value)) return value.trim();
  return JSON.stringify(value);
}

/** The answer as JSON text, exactly as it leaves: what has no answer is left out, numbers keep their digits. */
export function contentOf(fields: readonly FormField[], values: Values): string {
  const members = fields.flatMap((field) => {
    const answer = answerOf(field, values.get(field.name));
    return answer === null ? [] : [`${JSON.stringify(field.name)}:${written(field, answer)}`];
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
