// The quick check while one types, of what can be counted. All else is left to the host.
import type { FormField } from "@/ipc/bindings/FormField";
import type { FormInput } from "@/ipc/bindings/FormInput";
import { answerOf, mayBeEmpty, type Value } from "./values";
import { countOf, isNumber, jsonOf } from "./written";

/** What is wrong with a value: a code with its own words, and the limit it names. */
export type Mistake =
  | { readonly code: "required" | "number" | "integer" | "entries" | "types" }
  | { readonly code: "minLength" | "maxLength" | "minimum" | "maximum" | "minItems" | "maxItems"; readonly limit: number };

function textMistake(text: string, { minLength, maxLength }: Extract<FormInput, { kind: "text" }>): Mistake | null {
  // The schema counts code points.
  const length = Array.from(text).length;
  if (minLength !== null && length < minLength) return { code: "minLength", limit: minLength };
  if (maxLength !== null && length > maxLength) return { code: "maxLength", limit: maxLength };
  return null;
}

function numberMistake(text: string, { integer, minimum, maximum }: Extract<FormInput, { kind: "number" }>): Mistake | null {
  if (!isNumber(text)) return { code: "number" };
  const value = Number(text);
  if (integer && !Number.isInteger(value)) return { code: "integer" };
  if (minimum !== null && value < minimum) return { code: "minimum", limit: minimum };
  if (maximum !== null && value > maximum) return { code: "maximum", limit: maximum };
  return null;
}

export function mistakeOf(field: FormField, value: Value | undefined): Mistake | null {
  const { input } = field;
  const answer = answerOf(field, value);
  if (answer === null) return mayBeEmpty(field) ? null : { code: "required" };
  if (input.kind === "text" && typeof answer === "string") {
    const mistake = textMistake(answer, input);
    // Where nothing was typed and nothing is not enough, as of no format it is, that is all there is to say.
    return answer === "" && (mistake !== null || input.format !== null) ? { code: "required" } : mistake;
  }
  if (input.kind === "number" && typeof answer === "string") return numberMistake(answer, input);
  if (input.kind === "either" && typeof answer === "string") return jsonOf(input, answer) === null ? { code: "types" } : null;
  if (input.kind === "list" && typeof answer === "string") {
    const list = jsonOf(input, answer);
    if (list === null) return { code: "entries" };
    return countMistake(countOf(list), input);
  }
  if (input.kind === "some" && Array.isArray(answer)) return countMistake(answer.length, input);
  return null;
}

function countMistake(count: number, { minItems, maxItems }: { minItems: number | null; maxItems: number | null }): Mistake | null {
  if (minItems !== null && count < minItems) return { code: "minItems", limit: minItems };
  if (maxItems !== null && count > maxItems) return { code: "maxItems", limit: maxItems };
  return null;
}
