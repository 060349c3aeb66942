// A readable form of a definition: its description and its arguments. Nothing is left out: parts without a label stay
// as pointers with their text, and what is too much for a list is counted.
import type { PinView } from "@/ipc/bindings/PinView";
import type { ToolHints } from "@/ipc/bindings/ToolHints";
import { type JsonMember, type JsonNode, membersOf, rootOf, scalarOf, unlessBroken } from "@/lib/json-scan";
import { readHints } from "@/lib/tool-claims";

/** A part of a definition, with its original text. */
export interface Detail {
  readonly pointer: string;
  readonly text: string;
}

export interface ArgumentInWords {
  readonly name: string;
  /** As the server names them. */
  readonly types: readonly string[];
  readonly required: boolean;
  readonly description: string | null;
  /** Further parts, each below its own key. */
  readonly details: readonly Detail[];
}

export interface InWords {
  readonly title: string | null;
  readonly description: string | null;
  /** Null if it isn't a tool. */
  readonly hints: ToolHints | null;
  /** Null if it can't have any. */
  readonly arguments: readonly ArgumentInWords[] | null;
  /** All other parts. */
  readonly details: readonly Detail[];
  /** How many parts are left out. */
  readonly unsaid: number;
}

/** How many parts are listed. */
const LISTED = 120;
const HINTS: ReadonlySet<string | null> = new Set(["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]);

const escaped = (key: string) => key.replaceAll("~", "~0").replaceAll("/", "~1");

/** Null if it has no readable form: a server's command or URL, or something other than an object. */
export function inWords(pin: PinView): InWords | null {
  return unlessBroken(() => read(pin), null);
}

function read({ kind, name, now }: PinView): InWords | null {
  const root = rootOf(now);
  if (kind === "instructions" && root.kind === "string")
    return { title: null, description: scalarOf(now, root), hints: null, arguments: null, details: [], unsaid: 0 };
  if (kind === "server" || root.kind !== "object") return null;
  const definition = new Definition(now, kind === "tool");
  for (const member of membersOf(now, root)) definition.take(member, kind === "template" ? "" : name);
  return definition.inWords(kind === "template");
}

/** Builds the readable form. The second of two duplicate keys becomes a detail. */
class Definition {
  private readonly text: string;
  private readonly isTool: boolean;
  private readonly slots = new Map<string, string>();
  private readonly details: Detail[] = [];
  private hints: ToolHints | null = null;
  private taken: readonly ArgumentInWords[] | null = null;

  constructor(text: string, isTool: boolean) {
    this.text = text;
    this.isTool = isTool;
  }

  take({ key, value }: JsonMember, name: string): void {
    const { text } = this;
    const string = value.kind === "string" ? scalarOf(text, value) : null;
    if (key === "name" && string === name) return;
    if (key !== null && (key === "title" || key === "description") && string !== null && !this.slots.has(key)) this.slots.set(key, string);
    else if (key === "annotations" && this.isTool && value.kind === "object" && this.hints === null) this.takeClaims(value);
    else if (key === "inputSchema" && this.isTool && value.kind === "object" && this.taken === null) this.takeSchema(value);
    else if (key === "arguments" && !this.isTool && value.kind === "array" && this.taken === null) this.takeList(value);
    else this.details.push(...leavesOf(text, value, `/${escaped(key ?? "")}`));
  }

  inWords(isTemplate: boolean): InWords {
    const given = this.taken ?? (isTemplate ? null : []);
    const count = (given ?? []).length;
    return {
      title: this.slots.get("title") ?? null,
      description: this.slots.get("description") ?? null,
      hints: this.isTool ? (this.hints ?? readHints(null)) : null,
      arguments: given && given.slice(0, LISTED),
      details: this.details.slice(0, LISTED),
      unsaid: Math.max(0, count - LISTED) + Math.max(0, this.details.length - LISTED),
    };
  }

  private takeClaims(annotations: JsonNode): void {
    this.hints = readHints(this.text.slice(annotations.start, annotations.end));
    const seen = new Set<string | null>();
    for (const { key, value } of membersOf(this.text, annotations)) {
      if (!HINTS.has(key) || value.kind !== "boolean" || seen.has(key))
        this.details.push(...leavesOf(this.text, value, `/annotations/${escaped(key ?? "")}`));
      seen.add(key);
    }
  }

  private takeSchema(schema: JsonNode): void {
    const { text } = this;
    const members = [...membersOf(text, schema)];
    const list = members.find(({ key }) => key === "required")?.value;
    const required = new Set(
      list?.kind === "array"
        ? [...membersOf(text, list)].flatMap(({ value }) => (value.kind === "string" ? [scalarOf(text, value)] : []))
        : [],
    );
    const properties = members.find(({ key, value }) => key === "properties" && value.kind === "object")?.value;
    this.taken =
      properties === undefined
        ? []
        : [...membersOf(text, properties)].map(({ key, value }) => this.argument(key ?? "", value, required.has(key ?? "")));
    const names = new Set(this.taken.map(({ name }) => name));
    for (const { key, value } of members) {
      const isSaid =
        value === properties ||
        (value === list && [...required].every((name) => names.has(name))) ||
        (key === "type" && value.kind === "string" && scalarOf(text, value) === "object") ||
        (key === "$schema" && value.kind === "string" && /^https?:\/\/json-schema\.org\/[\w./#-]*$/.test(scalarOf(text, value))) ||
        (key === "additionalProperties" && value.kind === "boolean");
      if (!isSaid) this.details.push(...leavesOf(text, value, `/inputSchema/${escaped(key ?? "")}`));
    }
  }

  /** The arguments of a prompt. */
  private takeList(list: JsonNode): void {
    const { text } = this;
    this.taken = [...membersOf(text, list)].map(({ value, index }) => {
      const members = value.kind === "object" ? [...membersOf(text, value)] : [];
      const one = (key: string) => members.find((member) => member.key === key)?.value;
      const name = one("name");
      const required = one("required");
      return {
        ...this.argument(
          name?.kind === "string" ? scalarOf(text, name) : String(index + 1),
          value,
          false,
          new Set([name?.start, required?.start]),
        ),
        // The protocol has no other type.
        types: ["string"],
        required: required !== undefined && text.slice(required.start, required.end) === "true",
      };
    });
  }

  private argument(name: string, node: JsonNode, required: boolean, said: ReadonlySet<number | undefined> = new Set()): ArgumentInWords {
    const { text } = this;
    let types: readonly string[] | null = null;
    let description: string | null = null;
    const details: Detail[] = [];
    if (node.kind !== "object") return { name, types: [], required, description, details: leavesOf(text, node, "") };
    for (const { key, value } of membersOf(text, node)) {
      if (said.has(value.start)) continue;
      if (key === "type" && types === null && (value.kind === "string" || value.kind === "array")) types = stringsOf(text, value);
      else if (key === "description" && description === null && value.kind === "string") description = scalarOf(text, value);
      else details.push(...leavesOf(text, value, `/${escaped(key ?? "")}`));
    }
    return { name, types: types ?? [], required, description, details };
  }
}

const stringsOf = (text: string, node: JsonNode): string[] =>
  node.kind === "array" ? [...membersOf(text, node)].map(({ value }) => scalarOf(text, value)) : [scalarOf(text, node)];

/** All leaves of a value. A list of plain values is one line. */
function leavesOf(text: string, node: JsonNode, pointer: string): Detail[] {
  const inside = [...membersOf(text, node)];
  const isPlain = ({ value }: JsonMember) => value.kind !== "object" && value.kind !== "array";
  if (inside.length === 0) return [{ pointer, text: scalarOf(text, node) }];
  if (node.kind === "array" && inside.every(isPlain))
    return [{ pointer, text: inside.map(({ value }) => scalarOf(text, value)).join(", ") }];
  return inside.flatMap(({ key, index, value }) => leavesOf(text, value, `${pointer}/${key === null ? index : escaped(key)}`));
}
