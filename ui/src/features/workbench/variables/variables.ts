// Named values that stand in arguments as `{{name}}` and are put in when a call is made. Kept for the next start as they
// are: they are no place for secrets. `\{{name}}` is no variable and is sent as `{{name}}`.
import { type JsonNode, jsonString, stringify } from "@/lib/schema/json";
import { parseJson } from "@/lib/schema/parse";
import { KeyedStore, useKeyed } from "@/lib/keyed-store";
import { recall, remember } from "@/lib/remembered";

export interface Variable {
  readonly name: string;
  readonly value: string;
}

const ALL = "all";
const REMEMBERED = "workbench.variables";
const store = new KeyedStore<readonly Variable[]>();
const PLACE = /(\\?)\{\{\s*([A-Za-z_][\w-]{0,63})\s*\}\}/g;

/** Whether a variable can be called so. */
export const isName = (name: string): boolean => /^[A-Za-z_][\w-]{0,63}$/.test(name);

let known: { readonly text: string; readonly list: readonly Variable[] } = { text: "[]", list: [] };

/** Those of before the window was closed; the same list as long as they are the same. */
function recalled(): readonly Variable[] {
  const text = recall(REMEMBERED) ?? "[]";
  if (text !== known.text) known = { text, list: read(text) };
  return known.list;
}

function read(text: string): readonly Variable[] {
  try {
    const list: unknown = JSON.parse(text);
    return (Array.isArray(list) ? list : []).flatMap((entry: unknown): Variable[] => {
      if (!Array.isArray(entry)) return [];
      const [name, value] = entry as unknown[];
      return typeof name === "string" && isName(name) && typeof value === "string" ? [{ name, value }] : [];
    });
  } catch {
    return []; // it is no JSON
  }
}

const all = (): readonly Variable[] => store.get(ALL) ?? recalled();

export function useVariables(): readonly Variable[] {
  return useKeyed(store, ALL) ?? recalled();
}

function put(next: readonly Variable[]): void {
  store.set(ALL, next);
  remember(REMEMBERED, JSON.stringify(next.map(({ name, value }) => [name, value])));
}

/** Adds a variable as the last, or gives the one of that name another value. */
export function setVariable(name: string, value: string): void {
  const list = all();
  const index = list.findIndex((variable) => variable.name === name);
  put(index < 0 ? [...list, { name, value }] : list.with(index, { name, value }));
}

export function removeVariable(name: string): void {
  put(all().filter((variable) => variable.name !== name));
}

/** The names that stand in a text as variables, each once. */
export const namesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(PLACE)].flatMap(([, escaped, name]) => (escaped === "" && name !== undefined ? [name] : []))),
];

/** Whether a text is sent otherwise than it is written. */
export const hasPlaces = (text: string): boolean => text.search(PLACE) >= 0;

/** A text with the values put in; what is no variable stays. */
export function fillText(text: string, variables: readonly Variable[] = all()): string {
  return text.replaceAll(PLACE, (place: string, escaped: string, name: string) =>
    escaped === "" ? (variables.find((variable) => variable.name === name)?.value ?? place) : place.slice(1),
  );
}

/** A text that is sent as it is: what looks like a variable in it is none. */
export const escapeText = (text: string): string => text.replaceAll(PLACE, (place) => `\\${place}`);

function withTexts(node: JsonNode, change: (text: string) => string): JsonNode {
  switch (node.kind) {
    case "object":
      return { ...node, members: node.members.map(({ key, value }) => ({ key, value: withTexts(value, change) })) };
    case "array":
      return { ...node, items: node.items.map((item) => withTexts(item, change)) };
    case "string": {
      const value = change(node.value);
      return value === node.value ? node : jsonString(value);
    }
    default:
      return node;
  }
}

/** Arguments as JSON text with the values put into their texts. */
export function fillArguments(args: string, variables: readonly Variable[] = all()): string {
  return changeArguments(args, (text) => fillText(text, variables));
}

/** A value that is sent as it is. */
export const escapeValue = (value: JsonNode): JsonNode => withTexts(value, escapeText);

/** Arguments as they were sent, so that they are sent so again from the form. */
export const escapeArguments = (args: string): string => changeArguments(args, escapeText);

function changeArguments(args: string, change: (text: string) => string): string {
  if (!hasPlaces(args)) return args;
  const parsed = parseJson(args);
  return parsed.ok ? stringify(withTexts(parsed.node, change)) : args;
}

/** For tests: as if the window had just opened. */
export function forgetVariables(): void {
  store.clear();
}
