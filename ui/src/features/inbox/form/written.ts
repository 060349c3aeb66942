// Values that have no control of their own, written as text: lists with a line for each entry, and values of one of
// several types. What is typed is read as the type that it can be, and as a text where nothing else fits.
import type { FormChoice } from "@/ipc/bindings/FormChoice";
import type { FormInput } from "@/ipc/bindings/FormInput";
import { stringify } from "@/lib/schema/json";
import { parseJson } from "@/lib/schema/parse";

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Whether a text is a number as JSON writes it. */
export const isNumber = (text: string): boolean => NUMBER.test(text.trim()) && Number.isFinite(Number(text));

/** What a choice is known by: its text, or something that no text is. */
export const keyOf = ({ value, json }: FormChoice): string => (json === undefined ? value : `\u0000${json}`);

/** What is sent for a choice, as JSON text. */
export const jsonOfChoice = ({ value, json }: FormChoice): string => json ?? JSON.stringify(value);

/** What was typed as JSON text; null where it is no such value. */
export function jsonOf(input: FormInput, text: string): string | null {
  switch (input.kind) {
    case "text":
      return JSON.stringify(text);
    case "number":
      return isNumber(text) ? text.trim() : null;
    case "boolean":
      return text.trim() === "true" || text.trim() === "false" ? text.trim() : null;
    case "one": {
      const meant =
        input.choices.find(({ value }) => value === text) ??
        input.choices.find(({ value, title }) => title === text || value === text.trim());
      return meant === undefined ? null : jsonOfChoice(meant);
    }
    case "some":
      return array(text);
    case "list":
      return array(text) ?? lines(input.of, text);
    case "any": {
      const parsed = parseJson(text);
      return parsed.ok ? stringify(parsed.node) : JSON.stringify(text);
    }
    case "either": {
      const other = input.kinds.filter((kind) => kind.kind !== "text" && kind.kind !== "list");
      for (const kind of other) {
        const json = jsonOf(kind, text);
        if (json !== null) return json;
      }
      const list = input.kinds.some((kind) => kind.kind === "list" || kind.kind === "some") ? array(text) : null;
      if (list !== null) return list;
      // A number as a text is written as JSON writes it, in quotes.
      const parsed = parseJson(text);
      if (input.kinds.some((kind) => kind.kind === "text"))
        return JSON.stringify(parsed.ok && parsed.node.kind === "string" ? parsed.node.value : text);
      const only = input.kinds.find((kind) => kind.kind === "list");
      return only?.kind === "list" ? lines(only.of, text) : null;
    }
  }
}

function array(text: string): string | null {
  if (!text.trimStart().startsWith("[")) return null;
  const parsed = parseJson(text);
  return parsed.ok && parsed.node.kind === "array" ? stringify(parsed.node) : null;
}

function lines(of: FormInput, text: string): string | null {
  const entries = text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
    .map((line) => jsonOf(of, of.kind === "text" ? line : line.trim()));
  return entries.includes(null) ? null : `[${entries.join(",")}]`;
}

/** How many entries a list as JSON text has. */
export function countOf(json: string): number {
  const parsed = parseJson(json);
  return parsed.ok && parsed.node.kind === "array" ? parsed.node.items.length : 0;
}

/** A value, as JSON text, as it would be typed. */
export function typedOf(input: FormInput, json: string): string | null {
  const parsed = parseJson(json);
  if (!parsed.ok) return null;
  const { node } = parsed;
  const same = (text: string) => jsonOf(input, text) === stringify(node);
  if (node.kind === "string" && same(node.value)) return node.value;
  if (input.kind === "list" && node.kind === "array") {
    const entries = node.items.map((item) => typedOf(input.of, stringify(item)) ?? stringify(item)).join("\n");
    if (same(entries)) return entries;
  }
  return stringify(node);
}
