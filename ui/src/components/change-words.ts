// Describes changed members of a definition: maps JSON pointers to names and meanings, as far as they are certain. All
// others are shown as pointers.
import type { DiffPiece } from "@/ipc/bindings/DiffPiece";
import type { PinChange } from "@/ipc/bindings/PinChange";
import type { PinKind } from "@/ipc/bindings/PinKind";
import type { PinView } from "@/ipc/bindings/PinView";
import { type JsonNode, membersOf, rootOf, scalarOf, unlessBroken } from "@/lib/json-scan";

/** The parent of a member, if the definition has several of its kind. */
export type Subject = "argument" | "result" | "variable" | "header";
/** A claim of a tool. Its texts are the same everywhere. */
export type Claim = "readOnly" | "destructive" | "idempotent" | "openWorld";
export type Part =
  | "name"
  | "title"
  | "description"
  | "type"
  | "format"
  | "default"
  | "choice"
  | "required"
  | "inputs"
  | "inputSchema"
  | "outputSchema"
  | "annotations"
  | "icons"
  | "taskSupport"
  | "metadata"
  | "uriTemplate"
  | "mimeType"
  | "instructions"
  | "command"
  | "commandArgument"
  | "cwd"
  | "url"
  | "program"
  | "programSha256"
  | "issuer";

/** The name of a member: its subject and its part. `count` numbers the arguments of a command. */
export interface MemberName {
  readonly subject: { readonly kind: Subject; readonly name: string } | null;
  readonly part: Part | Claim | null;
  readonly count: number | null;
}

/** The value of a boolean member: explicit, or the protocol's default. */
export type YesNo = "yes" | "no" | "unsaidYes" | "unsaidNo";

export type Meaning =
  /** The old and the new value. */
  | { readonly kind: "turned"; readonly from: YesNo; readonly to: YesNo }
  /** A new argument. */
  | { readonly kind: "new"; readonly required: boolean }
  | { readonly kind: "gone" };

/** One line of a change. */
export interface ChangeLine {
  readonly pointer: string;
  readonly name: MemberName | null;
  /** Null if the pieces say everything. */
  readonly meaning: Meaning | null;
  readonly pieces: readonly DiffPiece[];
  /** Whether the server's claim is more dangerous than before. */
  readonly riskier: boolean;
}

/** `{name}`: any key, which names the subject. `#`: a number. A final `**`: any rest. The first match counts. */
const TABLE: readonly (readonly [kinds: readonly PinKind[], pattern: string, part: Part | null, subject?: Subject])[] = [
  [["tool", "prompt", "template"], "/name", "name"],
  [["tool", "prompt", "template"], "/title", "title"],
  [["tool", "prompt", "template"], "/description", "description"],
  [["tool"], "/annotations/title", "title"],
  [["tool"], "/inputSchema/properties/{name}/title", "title", "argument"],
  [["tool"], "/inputSchema/properties/{name}/description", "description", "argument"],
  [["tool"], "/inputSchema/properties/{name}/type", "type", "argument"],
  [["tool"], "/inputSchema/properties/{name}/format", "format", "argument"],
  [["tool"], "/inputSchema/properties/{name}/default", "default", "argument"],
  [["tool"], "/inputSchema/properties/{name}/enum/#", "choice", "argument"],
  [["tool"], "/inputSchema/properties/{name}/**", null, "argument"],
  [["tool"], "/inputSchema/required/**", "inputs"],
  [["tool"], "/inputSchema/**", "inputSchema"],
  [["tool"], "/outputSchema/properties/{name}/title", "title", "result"],
  [["tool"], "/outputSchema/properties/{name}/description", "description", "result"],
  [["tool"], "/outputSchema/properties/{name}/type", "type", "result"],
  [["tool"], "/outputSchema/properties/{name}/**", null, "result"],
  [["tool"], "/outputSchema/**", "outputSchema"],
  [["tool"], "/execution/taskSupport", "taskSupport"],
  [["template"], "/uriTemplate", "uriTemplate"],
  [["template"], "/mimeType", "mimeType"],
  [["tool", "prompt", "template"], "/icons/**", "icons"],
  [["tool", "prompt", "template"], "/annotations/**", "annotations"],
  [["tool", "prompt", "template"], "/_meta/**", "metadata"],
  [["instructions"], "", "instructions"],
  [["server"], "/command", "command"],
  [["server"], "/args/#", "commandArgument"],
  [["server"], "/env/{name}", null, "variable"],
  [["server"], "/headers/{name}", null, "header"],
  [["server"], "/cwd", "cwd"],
  [["server"], "/url", "url"],
  [["server"], "/program", "program"],
  [["server"], "/programSha256", "programSha256"],
  [["server"], "/issuer", "issuer"],
];

/** A tool's claims: the default of each, and which value is more dangerous. */
const HINTS: Readonly<Record<string, { readonly claim: Claim; readonly unsaid: boolean; readonly worse: boolean }>> = {
  "/annotations/readOnlyHint": { claim: "readOnly", unsaid: false, worse: false },
  "/annotations/destructiveHint": { claim: "destructive", unsaid: true, worse: true },
  "/annotations/idempotentHint": { claim: "idempotent", unsaid: false, worse: false },
  "/annotations/openWorldHint": { claim: "openWorld", unsaid: true, worse: true },
};
const DESTRUCTIVE = "/annotations/destructiveHint";
const READ_ONLY = "/annotations/readOnlyHint";
const ARGUMENTS = "/inputSchema/properties/";
const REQUIRED = "/inputSchema/required";

const isNumber = (key: string) => /^\d+$/.test(key);
const unescaped = (key: string) => key.replaceAll("~1", "/").replaceAll("~0", "~");
const keysOf = (pointer: string) => pointer.split("/").slice(1).map(unescaped);
const escaped = (key: string) => key.replaceAll("~", "~0").replaceAll("/", "~1");

/** The name of the member at a pointer, or null if it isn't certain. */
export function memberName(pin: Pick<PinView, "kind" | "now" | "changes">, pointer: string): MemberName | null {
  const hint = pin.kind === "tool" ? HINTS[pointer] : undefined;
  if (hint) return { subject: null, part: hint.claim, count: null };
  const keys = keysOf(pointer);
  const [first, index, member, ...deeper] = keys;
  if (pin.kind === "prompt" && first === "arguments" && index !== undefined && isNumber(index)) {
    // A prompt's arguments are a list. The name identifies an argument, unless the name itself changed.
    const name = stringIn(pin.now, ["arguments", index, "name"]);
    if (name === null || pin.changes.some((change) => change.pointer === `/arguments/${index}/name`)) return null;
    const part = (["title", "description", "required"] as const).find((known) => known === member && deeper.length === 0);
    return { subject: { kind: "argument", name }, part: part ?? null, count: null };
  }
  for (const [kinds, pattern, part, subject] of TABLE) {
    if (!kinds.includes(pin.kind)) continue;
    const found = matched(keysOf(pattern), keys);
    if (found === null) continue;
    const last = keys.at(-1) ?? "";
    return {
      subject: subject !== undefined && found.name !== null ? { kind: subject, name: found.name } : null,
      part,
      count: part === "commandArgument" ? Number(last) + 1 : null,
    };
  }
  return null;
}

function matched(pattern: readonly string[], keys: readonly string[]): { name: string | null } | null {
  const open = pattern.at(-1) === "**";
  const fixed = open ? pattern.slice(0, -1) : pattern;
  if (open ? keys.length < fixed.length : keys.length !== fixed.length) return null;
  let name: string | null = null;
  for (const [at, wanted] of fixed.entries()) {
    const key = keys[at] ?? "";
    if (wanted === "{name}") name = key;
    else if (wanted === "#" ? !isNumber(key) : wanted !== key) return null;
  }
  return { name };
}

/** The changes line by line: what became more dangerous first, then by importance. */
export function changeLines(pin: PinView): readonly ChangeLine[] {
  const lines: ChangeLine[] = [];
  /** Pointers that another line covers. */
  const said = new Set<string>();
  const named = (pointer: string, meaning: Meaning | null, pieces: readonly DiffPiece[] = [], riskier = false) => {
    lines.push({ pointer, name: memberName(pin, pointer), meaning, pieces, riskier });
  };
  const argument = (name: string, part: Part | null, pointer: string, meaning: Meaning) => {
    lines.push({ pointer, name: { subject: { kind: "argument", name }, part, count: null }, meaning, pieces: [], riskier: false });
  };
  const fresh = pin.kind === "tool" ? movedArguments(pin) : [];
  const required = pin.kind === "tool" ? requiredOf(pin) : null;
  const readOnly = pin.changes.find(({ pointer }) => pointer === READ_ONLY);
  const wasRead = pin.kind === "tool" && readOnly ? turnedAt(pin, readOnly, false) : null;
  /** Whether the tool was read-only and no longer is. */
  const read = wasRead !== null && isYes(wasRead.from) && !isYes(wasRead.to);
  let argumentsSaid = false;
  /** Adds new and removed arguments, and those whose `required` changed, at the first of these changes. */
  const sayArguments = () => {
    if (argumentsSaid) return;
    argumentsSaid = true;
    for (const { name, pointer, isNew } of fresh)
      argument(
        name,
        null,
        pointer,
        isNew ? { kind: "new", required: required !== null && required.after.includes(name) } : { kind: "gone" },
      );
    if (required === null) return;
    for (const change of required.changes) said.add(change.pointer);
    const known = new Set(fresh.map(({ name }) => name));
    for (const name of required.after)
      if (!required.before.includes(name) && !known.has(name))
        argument(name, "required", REQUIRED, { kind: "turned", from: "no", to: "yes" });
    for (const name of required.before)
      if (!required.after.includes(name) && !known.has(name))
        argument(name, "required", REQUIRED, { kind: "turned", from: "yes", to: "no" });
  };
  for (const change of pin.changes) {
    const { pointer, pieces } = change;
    const hint = pin.kind === "tool" ? HINTS[pointer] : undefined;
    const turned = hint ? turnedAt(pin, change, hint.unsaid) : null;
    if (hint && turned) {
      // A read-only tool could not delete, whatever its other claim was.
      const from = pointer === DESTRUCTIVE && read && turned.from === "unsaidYes" ? "no" : turned.from;
      named(pointer, { ...turned, from }, pieces, isYes(from) !== hint.worse && isYes(turned.to) === hint.worse);
      if (pointer === READ_ONLY && read) sayDeletes(pin, lines);
      continue;
    }
    if (pointer.startsWith(ARGUMENTS) || pointer.startsWith(REQUIRED)) sayArguments();
    if (said.has(pointer)) continue;
    const name = memberName(pin, pointer);
    named(pointer, name?.part === "required" ? turnedAt(pin, change, false) : null, pieces);
  }
  return [...lines.filter((line) => line.riskier), ...lines.filter((line) => !line.riskier)];
}

/** The claim about deleting counts once a tool isn't read-only any more, even if the claim is unchanged. */
function sayDeletes(pin: PinView, lines: ChangeLine[]) {
  if (pin.changes.some(({ pointer }) => pointer === DESTRUCTIVE)) return;
  const now = yesNoAt(pin, DESTRUCTIVE, true);
  if (now === null || !isYes(now)) return;
  lines.push({
    pointer: DESTRUCTIVE,
    name: memberName(pin, DESTRUCTIVE),
    meaning: { kind: "turned", from: "no", to: now },
    pieces: [],
    riskier: true,
  });
}

const isYes = (value: YesNo) => value === "yes" || value === "unsaidYes";
const stated = (value: boolean): YesNo => (value ? "yes" : "no");
const unstated = (value: boolean): YesNo => (value ? "unsaidYes" : "unsaidNo");

/** The old and the new value of a boolean, or null if either is something else. */
function turnedAt(pin: PinView, change: PinChange, unsaid: boolean): Extract<Meaning, { kind: "turned" }> | null {
  const to = yesNoAt(pin, change.pointer, unsaid);
  const before = textOf(change, "removed");
  // The comparison and the current definition must agree on whether the member exists.
  if (to === null || (textOf(change, "added") === null) !== to.startsWith("unsaid")) return null;
  const from = before === null ? unstated(unsaid) : before === "true" || before === "false" ? stated(before === "true") : null;
  return from === null ? null : { kind: "turned", from, to };
}

/** The boolean at a pointer, or its default if absent. Null if it is something else. */
function yesNoAt(pin: PinView, pointer: string, unsaid: boolean): YesNo | null {
  // With a duplicate key, it is unknown which one counts.
  if (pin.changes.some((change) => change.pointer.startsWith(`${pointer} (`))) return null;
  const found = lookUp(pin.now, keysOf(pointer));
  if (found === "unclear") return null;
  // In a truncated definition, a missing member may have been cut off.
  if (found === "absent") return pin.whole === null ? unstated(unsaid) : null;
  if (found.node.kind !== "boolean") return null;
  return stated(found.text.slice(found.node.start, found.node.end) === "true");
}

interface MovedArgument {
  readonly name: string;
  readonly pointer: string;
  /** Whether it was added, and not removed. */
  readonly isNew: boolean;
}

/** Arguments that were added or removed. */
function movedArguments(pin: PinView): MovedArgument[] {
  if (pin.whole !== null) return [];
  const touched = new Map<string, PinChange[]>();
  for (const change of pin.changes) {
    if (!change.pointer.startsWith(ARGUMENTS)) continue;
    const key = change.pointer.slice(ARGUMENTS.length).split("/")[0] ?? "";
    touched.set(key, [...(touched.get(key) ?? []), change]);
  }
  return [...touched].flatMap(([key, changes]): MovedArgument[] => {
    const name = unescaped(key);
    const pointer = ARGUMENTS + key;
    const found = lookUp(pin.now, ["inputSchema", "properties", name]);
    if (found === "unclear") return [];
    if (found === "absent") return changes.every((change) => textOf(change, "added") === null) ? [{ name, pointer, isNew: false }] : [];
    const added = new Set(changes.filter((change) => textOf(change, "removed") === null).map((change) => change.pointer));
    const all = leaves(found.text, found.node, pointer);
    const isNew = added.size === changes.length && all.length > 0 && all.every((leaf) => added.has(leaf));
    return isNew ? [{ name, pointer, isNew }] : [];
  });
}

/** The required arguments before and after. Null if they are unknown or unchanged. */
function requiredOf(pin: PinView): { before: string[]; after: string[]; changes: readonly PinChange[] } | null {
  const changes = pin.changes.filter(({ pointer }) => pointer === REQUIRED || pointer.startsWith(`${REQUIRED}/`));
  if (changes.length === 0 || pin.unshown > 0 || pin.whole !== null) return null;
  const found = lookUp(pin.now, ["inputSchema", "required"]);
  if (found === "unclear") return null;
  const after: string[] = [];
  if (found !== "absent") {
    if (found.node.kind !== "array") return null;
    for (const { value } of unlessBroken(() => [...membersOf(found.text, found.node)], [])) {
      if (value.kind !== "string") return null;
      after.push(scalarOf(found.text, value));
    }
  }
  const before: (string | null)[] = [...after];
  for (const change of changes) {
    const at = change.pointer.slice(REQUIRED.length + 1);
    const was = textOf(change, "removed");
    // An empty list is a leaf.
    if (change.pointer === REQUIRED) {
      if ((was ?? "[]") !== "[]") return null;
      continue;
    }
    // Other pointers are no items of this list.
    if (!isNumber(at) || Number(at) >= after.length + changes.length) return null;
    before[Number(at)] = was;
  }
  const known = Array.from(before, (name) => name ?? null).filter((name) => name !== null);
  const isSame = known.length === after.length && known.every((name) => after.includes(name));
  return isSame ? null : { before: known, after, changes };
}

/** The text before (`removed`) or after (`added`) a change. Null if there was none. */
function textOf({ pieces }: PinChange, op: "removed" | "added"): string | null {
  if (!pieces.some((piece) => piece.op === op || piece.op === "same")) return null;
  return pieces.map((piece) => (piece.op === op || piece.op === "same" ? piece.text : "")).join("");
}

type Found = { readonly text: string; readonly node: JsonNode };

/** The value at a path. `unclear` if a key on the way is duplicated, or a parent isn't an object. */
function lookUp(text: string, path: readonly string[]): Found | "absent" | "unclear" {
  return unlessBroken((): Found | "absent" | "unclear" => {
    let node = rootOf(text);
    for (const key of path) {
      // Duplicate definitions form a list, and it is unknown which one changed.
      if (node.kind !== "object" && !(node.kind === "array" && isNumber(key))) return "unclear";
      const hits = [...membersOf(text, node)].filter((member) => (member.key ?? String(member.index)) === key);
      if (hits.length > 1) return "unclear";
      const [hit] = hits;
      if (hit === undefined) return "absent";
      node = hit.value;
    }
    return { text, node };
  }, "unclear");
}

function stringIn(text: string, path: readonly string[]): string | null {
  const found = lookUp(text, path);
  return typeof found === "object" && found.node.kind === "string" ? scalarOf(found.text, found.node) : null;
}

/** The pointers of all leaves in a value. */
function leaves(text: string, node: JsonNode, pointer: string): string[] {
  const inside = unlessBroken(() => [...membersOf(text, node)], []);
  if (inside.length === 0) return [pointer];
  return inside.flatMap(({ key, index, value }) => leaves(text, value, `${pointer}/${key === null ? index : escaped(key)}`));
}
