// Named values that arguments refer to as `{{name}}`, filled in when a call is made. `\{{name}}` isn't a variable and
// is sent as `{{name}}`. Plain values are saved for the next start. Secret ones are in the vault: the page only has
// their names, and the host fills in the value at a placeholder that is created for one call and that no server's text
// can contain.
import { useQuery } from "@tanstack/react-query";
import type { SealedPlace } from "@/ipc/bindings/SealedPlace";
import { secretVariables } from "@/ipc/queries";
import { type JsonNode, jsonString, stringify } from "@/lib/schema/json";
import { parseJson } from "@/lib/schema/parse";
import { KeyedStore, useKeyed } from "@/lib/keyed-store";
import { recall, remember } from "@/lib/remembered";

interface PlainVariable {
  readonly name: string;
  readonly value: string;
}

export interface Variable {
  readonly name: string;
  /** Null for a secret. */
  readonly value: string | null;
}

/** The display of a secret. */
const HIDDEN = "•••";

const ALL = "all";
const REMEMBERED = "workbench.variables";
const store = new KeyedStore<readonly PlainVariable[]>();
const PLACE = /(\\?)\{\{\s*([A-Za-z_][\w-]{0,63})\s*\}\}/g;

/** Whether a name is valid for a variable. */
export const isName = (name: string): boolean => /^[A-Za-z_][\w-]{0,63}$/.test(name);

let known: { readonly text: string; readonly list: readonly PlainVariable[] } = { text: "[]", list: [] };

/** The variables from before the window was closed. The same array while they are unchanged. */
function recalled(): readonly PlainVariable[] {
  const text = recall(REMEMBERED) ?? "[]";
  if (text !== known.text) known = { text, list: read(text) };
  return known.list;
}

function read(text: string): readonly PlainVariable[] {
  try {
    const list: unknown = JSON.parse(text);
    return (Array.isArray(list) ? list : []).flatMap((entry: unknown): PlainVariable[] => {
      if (!Array.isArray(entry)) return [];
      const [name, value] = entry as unknown[];
      return typeof name === "string" && isName(name) && typeof value === "string" ? [{ name, value }] : [];
    });
  } catch {
    return []; // invalid JSON
  }
}

const all = (): readonly PlainVariable[] => store.get(ALL) ?? recalled();

/** All variables. A secret replaces a plain variable with its name. */
export function useVariables(): readonly Variable[] {
  const plain = useKeyed(store, ALL) ?? recalled();
  const { data: names = [] } = useQuery(secretVariables());
  return [...names.map((name) => ({ name, value: null })), ...plain.filter(({ name }) => !names.includes(name))];
}

function put(next: readonly PlainVariable[]): void {
  store.set(ALL, next);
  remember(REMEMBERED, JSON.stringify(next.map(({ name, value }) => [name, value])));
}

/** Adds a variable, or changes the one with this name. */
export function setVariable(name: string, value: string): void {
  const list = all();
  const index = list.findIndex((variable) => variable.name === name);
  put(index < 0 ? [...list, { name, value }] : list.with(index, { name, value }));
}

export function removeVariable(name: string): void {
  put(all().filter((variable) => variable.name !== name));
}

/** The names of the variables in a text, without duplicates. */
export const namesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(PLACE)].flatMap(([, escaped, name]) => (escaped === "" && name !== undefined ? [name] : []))),
];

/** Whether the text changes when it is sent. */
export const hasPlaces = (text: string): boolean => text.search(PLACE) >= 0;

/** A text with the values filled in and secrets hidden. Everything else stays. */
export function fillText(text: string, variables: readonly Variable[]): string {
  return replacePlaces(text, variables, () => HIDDEN);
}

function replacePlaces(text: string, variables: readonly Variable[], secret: (name: string) => string): string {
  return text.replaceAll(PLACE, (place: string, escaped: string, name: string) => {
    if (escaped !== "") return place.slice(1);
    const variable = variables.find((one) => one.name === name);
    return variable === undefined ? place : (variable.value ?? secret(name));
  });
}

/** Whether a text contains a secret. */
export const holdsSecret = (text: string, variables: readonly Variable[]): boolean =>
  namesIn(text).some((name) => variables.some((variable) => variable.name === name && variable.value === null));

/** Escapes a text, so that it is sent literally without variables. */
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

/** Arguments as JSON text with the values filled into their texts, and secrets hidden. */
export function fillArguments(args: string, variables: readonly Variable[]): string {
  return changeArguments(args, (text) => fillText(text, variables));
}

/** The arguments that leave the page, and where the host fills in secrets. */
export interface SealedArguments {
  readonly args: string;
  readonly sealed: readonly SealedPlace[];
}

/** Fills the values into the arguments, with a unique placeholder for each secret of this call. */
export function sealArguments(typed: string, variables: readonly Variable[]): SealedArguments {
  const sealed = new Map<string, SealedPlace>();
  const placeOf = (name: string) => {
    const known = sealed.get(name) ?? { name, place: crypto.randomUUID().replaceAll("-", "") };
    sealed.set(name, known);
    return known.place;
  };
  const args = changeArguments(typed, (text) => replacePlaces(text, variables, placeOf));
  return { args, sealed: [...sealed.values()] };
}

/** Replaces the placeholders with the names of their secrets, for display. */
export const unsealed = (args: string, sealed: readonly SealedPlace[]): string =>
  sealed.reduce((text, { place, name }) => text.replaceAll(place, `{{${name}}}`), args);

/** Escapes a value, so that it is sent literally. */
export const escapeValue = (value: JsonNode): JsonNode => withTexts(value, escapeText);

/** Escapes sent arguments, so that the form sends them unchanged. */
export const escapeArguments = (args: string): string => changeArguments(args, escapeText);

function changeArguments(args: string, change: (text: string) => string): string {
  if (!hasPlaces(args)) return args;
  const parsed = parseJson(args);
  return parsed.ok ? stringify(withTexts(parsed.node, change)) : args;
}

/** Resets the variables, for tests. */
export function forgetVariables(): void {
  store.clear();
}
