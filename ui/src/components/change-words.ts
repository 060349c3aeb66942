// What the members of a definition mean, in words: from a JSON pointer to what changed there, as far as that is certain.
// Everything else keeps its pointer alone.
import type { DiffPiece } from "@/ipc/bindings/DiffPiece";
import type { PinChange } from "@/ipc/bindings/PinChange";
import type { PinKind } from "@/ipc/bindings/PinKind";
import type { PinView } from "@/ipc/bindings/PinView";
import { type JsonNode, membersOf, rootOf, scalarOf, unlessBroken } from "@/lib/json-scan";

/** What a member belongs to, where the definition has several of its kind. */
export type Subject = "argument" | "result" | "variable" | "header";
/** A claim of a tool; its words are those of the claim everywhere. */
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

/** The name of a member in words: of what, and which part of it; `count` numbers the arguments of a command. */
export interface MemberName {
  readonly subject: { readonly kind: Subject; readonly name: string } | null;
  readonly part: Part | Claim | null;
  readonly count: number | null;
}

/** What a member says: yes or no, in so many words or by the protocol's default. */
export type YesNo = "yes" | "no" | "unsaidYes" | "unsaidNo";

export type Meaning =
  /** What it was and what it is. */
  | { readonly kind: "turned"; readonly from: YesNo; readonly to: YesNo }
  /** An argument that was not there. */
  | { readonly kind: "new"; readonly required: boolean }
  | { readonly kind: "gone" };

/** One line of what changed. */
export interface ChangeLine {
  readonly pointer: string;
  readonly name: MemberName | null;
  /** Null: the pieces say it. */
  readonly meaning: Meaning | null;
  readonly pieces: readonly DiffPiece[];
  /** What the server says of it is more dangerous than before. */
  readonly riskier: boolean;
}

/** `{name}`: any one key, which is the subject's name; `#`: a number; a last `**`: whatever follows, also nothing. The first that matches counts. */
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

/** The claims of a tool: what counts where one isn't stated, and which answer is the more dangerous. */
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

/** The name of the member at a pointer, or null where none is certain. */
export function memberName(pin: Pick<PinView, "kind" | "now" | "changes">, pointer: string): MemberName | null {
  const hint = pin.kind === "tool" ? HINTS[pointer] : undefined;
  if (hint) return { subject: null, part: hint.claim, count: null };
  const keys = keysOf(pointer);
  const [first, index, member, ...deeper] = keys;
  if (pin.kind === "prompt" && first === "arguments" && index !== undefined && isNumber(index)) {
    // The arguments of a prompt are a list: which one it is, its name says, if that isn't what changed.
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

/** What changed, line by line: what became more dangerous first, otherwise what matters most. */
export function changeLines(pin: PinView): readonly ChangeLine[] {
  const lines: ChangeLine[] = [];
  /** Pointers that another line has said. */
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
  /** It only read, and no longer does. */
  const read = wasRead !== null && isYes(wasRead.from) && !isYes(wasRead.to);
  let argumentsSaid = false;
  /** New and removed arguments, and those that became required or no longer are, where the first of them was told. */
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
      // What only read could not delete, whatever else was said of it.
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

/** What only read says nothing of deleting; once it no longer only reads, that counts, whether or not it changed too. */
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

/** What a yes or no was and is; null where either is something else. */
function turnedAt(pin: PinView, change: PinChange, unsaid: boolean): Extract<Meaning, { kind: "turned" }> | null {
  const to = yesNoAt(pin, change.pointer, unsaid);
  const before = textOf(change, "removed");
  // What is compared and what is shown must agree on whether it is there.
  if (to === null || (textOf(change, "added") === null) !== to.startsWith("unsaid")) return null;
  const from = before === null ? unstated(unsaid) : before === "true" || before === "false" ? stated(before === "true") : null;
  return from === null ? null : { kind: "turned", from, to };
}

/** What is at a pointer now: a yes or no, or the default where nothing is; null where it is neither. */
function yesNoAt(pin: PinView, pointer: string, unsaid: boolean): YesNo | null {
  // Of a key that is there twice, nobody knows which counts.
  if (pin.changes.some((change) => change.pointer.startsWith(`${pointer} (`))) return null;
  const found = lookUp(pin.now, keysOf(pointer));
  if (found === "unclear") return null;
  // Of what was cut, what is missing may be what was cut away.
  if (found === "absent") return pin.whole === null ? unstated(unsaid) : null;
  if (found.node.kind !== "boolean") return null;
  return stated(found.text.slice(found.node.start, found.node.end) === "true");
}

interface MovedArgument {
  readonly name: string;
  readonly pointer: string;
  /** It is there now, and not gone. */
  readonly isNew: boolean;
}

/** Arguments that were not there before, or are no longer. */
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

/** Which arguments were required and which are; null where that can't be said, or is as it was. */
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
    // An empty list is a leaf of its own.
    if (change.pointer === REQUIRED) {
      if ((was ?? "[]") !== "[]") return null;
      continue;
    }
    // What is no place in such a list is not walked to.
    if (!isNumber(at) || Number(at) >= after.length + changes.length) return null;
    before[Number(at)] = was;
  }
  const known = Array.from(before, (name) => name ?? null).filter((name) => name !== null);
  const isSame = known.length === after.length && known.every((name) => after.includes(name));
  return isSame ? null : { before: known, after, changes };
}

/** The text of a change before (`removed`) or now (`added`); null where there was none. */
function textOf({ pieces }: PinChange, op: "removed" | "added"): string | null {
  if (!pieces.some((piece) => piece.op === op || piece.op === "same")) return null;
  return pieces.map((piece) => (piece.op === op || piece.op === "same" ? piece.text : "")).join("");
}

type Found = { readonly text: string; readonly node: JsonNode };

/** What stands at a path; `unclear` where a key on the way is there twice, or there is no object to look into. */
function lookUp(text: string, path: readonly string[]): Found | "absent" | "unclear" {
  return unlessBroken((): Found | "absent" | "unclear" => {
    let node = rootOf(text);
    for (const key of path) {
      // Several definitions of one name are a list: which of them changed isn't known.
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

/** The pointers of everything in a value that holds nothing else. */
function leaves(text: string, node: JsonNode, pointer: string): string[] {
  const inside = unlessBroken(() => [...membersOf(text, node)], []);
  if (inside.length === 0) return [pointer];
  return inside.flatMap(({ key, index, value }) => leaves(text, value, `${pointer}/${key === null ? index : escaped(key)}`));
}
