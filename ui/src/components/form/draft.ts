// The values that a person enters for a tool or a server's question: one JSON object, shown as a form and as text. Pure
// functions. Typed text is never lost: invalid JSON stays in the JSON view, and an invalid part stays with its field
// until the whole text is formatted again.
import { at, jsonObject, type JsonNode, type JsonObject, type Path, pathKey, put, renameMember, stringify } from "@/lib/schema/json";
import type { SchemaCheck } from "@/ipc/bindings/SchemaCheck";
import { pointerTo, type Problem, problemsIn } from "@/lib/schema/check";
import { choicesInForce, guessChoice } from "@/lib/schema/fit";
import { type ChoiceField, concrete, type Field, type FormModel } from "@/lib/schema/model";
import { type JsonError, parseJson } from "@/lib/schema/parse";
import { blankItem, initialValue } from "@/lib/schema/value";

/** Why the text is not usable as arguments. */
export type TextError = { readonly kind: "syntax"; readonly error: JsonError } | { readonly kind: "notObject" };

/** A part that is edited as JSON: the typed text, valid or not. */
export interface Part {
  readonly text: string;
  readonly error: JsonError | null;
  /** The value that it replaces, as text. If that changes elsewhere, the typed text is obsolete. */
  readonly base: string;
}

export interface Draft {
  /** The text of the JSON view: as typed, or formatted from the form's value. */
  readonly text: string;
  /** The last value of the text that was a valid object. */
  readonly value: JsonObject;
  readonly error: TextError | null;
  /** The parts by path. */
  readonly parts: ReadonlyMap<string, Part>;
  /** Chosen alternatives by path. */
  readonly chosen: ReadonlyMap<string, number>;
  /** Values of abandoned alternatives, by path and alternative. */
  readonly left: ReadonlyMap<string, JsonNode>;
  /** Paths that the person edits as raw JSON. */
  readonly raw: ReadonlySet<string>;
  /** Paths that were edited and left, whose problems are shown. */
  readonly touched: ReadonlySet<string>;
  /** Whether all problems are shown, because the person tried to run it. */
  readonly revealed: boolean;
}

const empty: JsonObject = jsonObject([]);
const layOut = (value: JsonNode) => stringify(value, 2);
const valueText = (value: JsonNode | undefined) => (value === undefined ? "" : stringify(value));

/** A new draft with the schema's fixed values. Nothing is guessed. */
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

/** Changes the text of the JSON view. */
export function typeText(draft: Draft, text: string): Draft {
  const parsed = parseJson(text);
  if (!parsed.ok) return { ...draft, text, error: { kind: "syntax", error: parsed.error } };
  if (parsed.node.kind !== "object") return { ...draft, text, error: { kind: "notObject" } };
  return dropObsolete(asText({ ...draft, text, value: parsed.node, error: null, chosen: stillChosen(draft, parsed.node, []) }));
}

/** The draft for the JSON view. Its text doesn't contain invalid parts. */
export function asText(draft: Draft): Draft {
  const parts = new Map([...draft.parts].filter(([, part]) => part.error === null));
  return parts.size === draft.parts.size ? draft : { ...draft, parts };
}

function dropObsolete(draft: Draft): Draft {
  if (draft.parts.size === 0) return draft;
  const parts = new Map([...draft.parts].filter(([key, part]) => valueText(at(draft.value, pathOf(key))) === part.base));
  return { ...draft, parts };
}

/** Sets a value, or removes it if `undefined`. Invalid text in the JSON view is kept, and the form can't change it. */
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

/** Changes a part's JSON text. An empty text removes the part. An item can't be removed and stays incomplete. */
export function typePart(draft: Draft, path: Path, text: string, item = false): Draft {
  if (draft.error !== null) return draft;
  const parsed = text.trim() === "" && !item ? null : parseJson(text);
  const next = parsed === null || parsed.ok ? setAt(draft, path, parsed?.node) : draft;
  const part: Part = { text, error: parsed === null || parsed.ok ? null : parsed.error, base: valueText(at(next.value, path)) };
  // Editing an alternative as JSON doesn't switch to another one.
  const chosen = draft.raw.has(pathKey(path)) ? next.chosen : draft.chosen;
  return { ...next, chosen, parts: new Map(next.parts).set(pathKey(path), part) };
}

/** The text of a part that is edited as JSON: as typed, or formatted if it changed elsewhere. */
export function partText(draft: Draft, path: Path): string {
  const value = at(draft.value, path);
  const part = draft.parts.get(pathKey(path));
  if (part !== undefined && part.base === valueText(value)) return part.text;
  return value === undefined ? "" : layOut(value);
}

/** Chooses another alternative, or none. The values of the old one come back when it is chosen again. */
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

/** Sets a value in an alternative, which stays chosen while it is edited and emptied. */
export function fillChosen(draft: Draft, path: Path, index: number, value: JsonNode | undefined): Draft {
  if (draft.error !== null) return draft;
  const next = setAt(draft, path, value);
  return { ...next, chosen: new Map(next.chosen).set(pathKey(path), index) };
}

/** The current alternative: the chosen one, or the best match. Null if there is neither a choice nor a value. */
export function chosenAt(draft: Draft, path: Path, field: ChoiceField): number | null {
  const chosen = draft.chosen.get(pathKey(path));
  if (chosen !== undefined && chosen < field.choices.length) return chosen;
  const value = at(draft.value, path);
  return value === undefined ? null : guessChoice(field, value);
}

/** If the kind of value changes elsewhere, the choice is dropped, and the new value decides. */
function stillChosen({ chosen, value }: Draft, next: JsonNode, within: Path): Draft["chosen"] {
  const kept = [...chosen].filter(
    ([key]) => !isWithin(pathOf(key), within) || at(value, pathOf(key))?.kind === at(next, pathOf(key))?.kind,
  );
  return kept.length === chosen.size ? chosen : new Map(kept);
}

/** Moves or removes items of a list, together with the state of later items. */
export function rearrange(draft: Draft, path: Path, order: readonly number[]): Draft {
  const list = at(draft.value, path);
  if (list?.kind !== "array") return draft;
  const items = order.flatMap((index) => list.items[index] ?? []);
  return rekey(draft, { ...list, items }, path, (step) => {
    const place = typeof step === "number" ? order.indexOf(step) : -1;
    return place < 0 ? null : place;
  });
}

/** Renames a member of an object without moving it. */
export function rename(draft: Draft, path: Path, from: string, to: string): Draft {
  const object = at(draft.value, path);
  return object === undefined ? draft : rekey(draft, renameMember(object, from, to), path, (step) => (step === from ? to : step));
}

/** Updates a container whose path steps changed: the state of each path moves with it, or is removed. */
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

/** Formats the text from its last valid value. Drops invalid text, which the person has confirmed. */
export function layOutText(draft: Draft): Draft {
  return { ...draft, text: layOut(draft.value), error: null };
}

/** Shows a part as raw JSON or as its field. */
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

/** All problems: first invalid parts, then the host's results for the rest, if there are any. */
export function problemsOf(draft: Draft, root: Field | null, check: SchemaCheck | undefined): Problem[] {
  const broken = [...draft.parts].flatMap(([key, part]): Problem[] =>
    part.error === null ? [] : [{ path: pathOf(key), code: "invalidJson", detail: null }],
  );
  if (root === null) return broken;
  // A text in a number field may be valid elsewhere in the schema, but here it is an unfinished number.
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

/** The current alternatives for the host. */
export function chosenIn(draft: Draft, root: Field): Record<string, number> {
  return Object.fromEntries(
    choicesInForce(root, draft.value, draft.chosen).flatMap(({ path, branch }) =>
      branch === undefined ? [] : [[pointerTo(path), branch] as const],
    ),
  );
}

/** The arguments to send. Null if the text or a part is invalid. */
export function argumentsOf(draft: Draft): string | null {
  const readable = draft.error === null && [...draft.parts.values()].every((part) => part.error === null);
  return readable ? stringify(draft.value) : null;
}
