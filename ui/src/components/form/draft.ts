// The values a person is putting together, for a tool or for a server that asks: one JSON object, seen as a form and as text.
// Pure.
// What was typed is never lost: text that is no JSON stays in the JSON view, a part that is no JSON stays with its field
// until the whole is written anew as text.
import { at, jsonObject, type JsonNode, type JsonObject, type Path, pathKey, put, renameMember, stringify } from "@/lib/schema/json";
import type { SchemaCheck } from "@/ipc/bindings/SchemaCheck";
import { pointerTo, type Problem, problemsIn } from "@/lib/schema/check";
import { choicesInForce, guessChoice } from "@/lib/schema/fit";
import { type ChoiceField, concrete, type Field, type FormModel } from "@/lib/schema/model";
import { type JsonError, parseJson } from "@/lib/schema/parse";
import { blankItem, initialValue } from "@/lib/schema/value";

/** Why the text is not usable as arguments. */
export type TextError = { readonly kind: "syntax"; readonly error: JsonError } | { readonly kind: "notObject" };

/** A part edited as JSON: the text as typed, whether or not it can be read. */
export interface Part {
  readonly text: string;
  readonly error: JsonError | null;
  /** The value it stands for, as text; when that changes elsewhere, what was typed here is obsolete. */
  readonly base: string;
}

export interface Draft {
  /** The JSON view: as typed there, or the form's value laid out. */
  readonly text: string;
  /** The last text that was an object. */
  readonly value: JsonObject;
  readonly error: TextError | null;
  /** By path. */
  readonly parts: ReadonlyMap<string, Part>;
  /** Alternatives that were chosen, by path. */
  readonly chosen: ReadonlyMap<string, number>;
  /** Values of alternatives that were left, by path and alternative. */
  readonly left: ReadonlyMap<string, JsonNode>;
  /** Paths shown as raw JSON because the person asked for it. */
  readonly raw: ReadonlySet<string>;
  /** Paths that were filled in and left, whose problems are shown. */
  readonly touched: ReadonlySet<string>;
  /** All problems are shown: somebody tried to run it. */
  readonly revealed: boolean;
}

const empty: JsonObject = jsonObject([]);
const layOut = (value: JsonNode) => stringify(value, 2);
const valueText = (value: JsonNode | undefined) => (value === undefined ? "" : stringify(value));

/** A fresh draft: what the schema prescribes, nothing guessed. */
export function newDraft(model: FormModel): Draft {
  const first = model.kind === "form" ? initialValue(model.root) : undefined;
  const value = first?.kind === "object" ? first : empty;
  return {
    text: layOut(value),
    value,
    error: null,
    parts: new Map(),
    chosen: new Map(),
    left: new Map(),
    raw: new Set(),
    touched: new Set(),
    revealed: false,
  };
}

/** A draft with the arguments of an earlier call. */
export function draftFrom(text: string): Draft {
  const start: Draft = { ...newDraft({ kind: "none", reason: "absent" }), text };
  const draft = typeText(start, text);
  return draft.error === null ? { ...draft, text: layOut(draft.value) } : draft;
}

/** What was typed in the JSON view. */
export function typeText(draft: Draft, text: string): Draft {
  const parsed = parseJson(text);
  if (!parsed.ok) return { ...draft, text, error: { kind: "syntax", error: parsed.error } };
  if (parsed.node.kind !== "object") return { ...draft, text, error: { kind: "notObject" } };
  return dropObsolete(asText({ ...draft, text, value: parsed.node, error: null, chosen: stillChosen(draft, parsed.node, []) }));
}

/** The draft as the JSON view shows it: parts that are no JSON are not in its text. */
export function asText(draft: Draft): Draft {
  const parts = new Map([...draft.parts].filter(([, part]) => part.error === null));
  return parts.size === draft.parts.size ? draft : { ...draft, parts };
}

function dropObsolete(draft: Draft): Draft {
  if (draft.parts.size === 0) return draft;
  const parts = new Map([...draft.parts].filter(([key, part]) => valueText(at(draft.value, pathOf(key))) === part.base));
  return { ...draft, parts };
}

/** A value put or (with `undefined`) left out by the form. Text that is no JSON is not touched: the form rests then. */
export function setAt(draft: Draft, path: Path, value: JsonNode | undefined): Draft {
  if (draft.error !== null) return draft;
  const next = put(draft.value, path, value);
  const object = next?.kind === "object" ? next : empty;
  const kept = [...draft.parts].filter(([key]) => !isWithin(pathOf(key), path));
  const parts = kept.length === draft.parts.size ? draft.parts : new Map(kept);
  return { ...draft, value: object, text: layOut(object), parts, chosen: stillChosen(draft, object, path) };
}

const pathOf = (key: string) => JSON.parse(key) as Path;

function isWithin(path: Path, outer: Path): boolean {
  return path.length >= outer.length && outer.every((step, index) => path[index] === step);
}

/** What was typed for one part as JSON. An empty text leaves the part out; an item, which cannot be left out, waits for more. */
export function typePart(draft: Draft, path: Path, text: string, item = false): Draft {
  if (draft.error !== null) return draft;
  const parsed = text.trim() === "" && !item ? null : parseJson(text);
  const next = parsed === null || parsed.ok ? setAt(draft, path, parsed?.node) : draft;
  const part: Part = { text, error: parsed === null || parsed.ok ? null : parsed.error, base: valueText(at(next.value, path)) };
  // An alternative that is written as JSON is not another one for what is being written.
  const chosen = draft.raw.has(pathKey(path)) ? next.chosen : draft.chosen;
  return { ...next, chosen, parts: new Map(next.parts).set(pathKey(path), part) };
}

/** The text of a part edited as JSON: as typed, or laid out when it was changed elsewhere. */
export function partText(draft: Draft, path: Path): string {
  const value = at(draft.value, path);
  const part = draft.parts.get(pathKey(path));
  if (part !== undefined && part.base === valueText(value)) return part.text;
  return value === undefined ? "" : layOut(value);
}

/** Another alternative, or none: what was filled in for the old one comes back when it is chosen again. */
export function choose(draft: Draft, path: Path, field: ChoiceField, index: number | null, item = false): Draft {
  if (draft.error !== null) return draft;
  const before = chosenAt(draft, path, field);
  const choice = index === null ? null : field.choices[index];
  if (choice === undefined || before === index) return draft;
  const key = pathKey(path);
  const old = at(draft.value, path);
  const left = new Map(draft.left);
  if (old !== undefined && before !== null) left.set(`${key}#${before}`, old);
  else left.delete(`${key}#${before}`);
  if (choice === null || index === null) {
    const chosen = new Map(draft.chosen);
    chosen.delete(key);
    return setAt({ ...draft, left, chosen }, path, undefined);
  }
  const value = left.get(`${key}#${index}`) ?? initialValue(choice.field) ?? (item ? blankItem(choice.field) : undefined);
  return fillChosen({ ...draft, left }, path, index, value);
}

/** A value put into an alternative, which stays in force while it is typed and emptied. */
export function fillChosen(draft: Draft, path: Path, index: number, value: JsonNode | undefined): Draft {
  if (draft.error !== null) return draft;
  const next = setAt(draft, path, value);
  return { ...next, chosen: new Map(next.chosen).set(pathKey(path), index) };
}

/** The alternative in force: the chosen one, else the one that fits best; null where nothing is chosen and nothing there. */
export function chosenAt(draft: Draft, path: Path, field: ChoiceField): number | null {
  const chosen = draft.chosen.get(pathKey(path));
  if (chosen !== undefined && chosen < field.choices.length) return chosen;
  const value = at(draft.value, path);
  return value === undefined ? null : guessChoice(field, value);
}

/** Where the kind of value changes elsewhere, an alternative is not held any more: the new value tells which it is. */
function stillChosen({ chosen, value }: Draft, next: JsonNode, within: Path): Draft["chosen"] {
  const kept = [...chosen].filter(
    ([key]) => !isWithin(pathOf(key), within) || at(value, pathOf(key))?.kind === at(next, pathOf(key))?.kind,
  );
  return kept.length === chosen.size ? chosen : new Map(kept);
}

/** Takes an item out of a list, or moves it; what is remembered about later items goes along. */
export function rearrange(draft: Draft, path: Path, order: readonly number[]): Draft {
  const list = at(draft.value, path);
  if (list?.kind !== "array") return draft;
  const items = order.flatMap((index) => list.items[index] ?? []);
  return rekey(draft, { ...list, items }, path, (step) => {
    const place = typeof step === "number" ? order.indexOf(step) : -1;
    return place < 0 ? null : place;
  });
}

/** Renames a member of an object in its place. */
export function rename(draft: Draft, path: Path, from: string, to: string): Draft {
  const object = at(draft.value, path);
  return object === undefined ? draft : rekey(draft, renameMember(object, from, to), path, (step) => (step === from ? to : step));
}

/** A container changed so that the next step of paths into it changed: all that is kept by path follows, or goes. */
function rekey(draft: Draft, value: JsonNode | undefined, path: Path, step: (old: string | number) => string | number | null): Draft {
  if (draft.error !== null) return draft;
  const follow = (key: string): string[] => {
    const hash = key.endsWith("]") ? key.length : key.lastIndexOf("#");
    const inner = pathOf(key.slice(0, hash));
    const old = inner[path.length];
    if (old === undefined || !isWithin(inner, path)) return [key];
    const next = step(old);
    return next === null ? [] : [pathKey(inner.with(path.length, next)) + key.slice(hash)];
  };
  const map = <V>(old: ReadonlyMap<string, V>) =>
    new Map([...old].flatMap(([key, held]) => follow(key).map((next) => [next, held] as const)));
  const set = (old: ReadonlySet<string>) => new Set([...old].flatMap(follow));
  return {
    ...setAt(draft, path, value),
    parts: map(draft.parts),
    chosen: map(draft.chosen),
    left: map(draft.left),
    raw: set(draft.raw),
    touched: set(draft.touched),
  };
}

/** The text laid out anew from the value it was last read as; what could not be read is dropped, on the person's word. */
export function layOutText(draft: Draft): Draft {
  return { ...draft, text: layOut(draft.value), error: null };
}

/** Shows a part as raw JSON, or as its field again. */
export function setRaw(draft: Draft, path: Path, on: boolean): Draft {
  const raw = new Set(draft.raw);
  if (on) raw.add(pathKey(path));
  else raw.delete(pathKey(path));
  return { ...draft, raw };
}

export function touch(draft: Draft, path: Path): Draft {
  const key = pathKey(path);
  return draft.touched.has(key) ? draft : { ...draft, touched: new Set(draft.touched).add(key) };
}

/** All that is wrong: parts that are no JSON first, then what the host says of the rest, where it has said something. */
export function problemsOf(draft: Draft, root: Field | null, check: SchemaCheck | undefined): Problem[] {
  const broken = [...draft.parts].flatMap(([key, part]): Problem[] =>
    part.error === null ? [] : [{ path: pathOf(key), code: "invalidJson", detail: null }],
  );
  if (root === null) return broken;
  // A text where a number was chosen may be one that the schema allows elsewhere: it is one that is being typed.
  const typed = choicesInForce(root, draft.value, draft.chosen).flatMap(({ path, value, field }): Problem[] =>
    value.kind === "string" && concrete(field).kind === "number" ? [{ path, code: "notNumber", detail: null }] : [],
  );
  const typedAt = new Set(typed.map((problem) => pathKey(problem.path)));
  const found = check === undefined ? [] : problemsIn(check, draft.value);
  return [
    ...broken,
    ...[...typed, ...found.filter((problem) => !typedAt.has(pathKey(problem.path)))].filter(
      (problem) => draft.parts.get(pathKey(problem.path))?.error == null,
    ),
  ];
}

/** The alternatives in force, as the host is told of them. */
export function chosenIn(draft: Draft, root: Field): Record<string, number> {
  return Object.fromEntries(
    choicesInForce(root, draft.value, draft.chosen).flatMap(({ path, branch }) =>
      branch === undefined ? [] : [[pointerTo(path), branch] as const],
    ),
  );
}

/** The arguments as they are sent; null while the text or a part cannot be read. */
export function argumentsOf(draft: Draft): string | null {
  const readable = draft.error === null && [...draft.parts.values()].every((part) => part.error === null);
  return readable ? stringify(draft.value) : null;
}
