// Parses a tool's result from its raw text: content blocks, structured content, the error flag. Lenient: what violates
// the protocol stays as JSON and is shown as such.
import { sameJson } from "@/lib/schema/equal";
import { parseJson } from "@/lib/schema/parse";
import { type JsonMember, type JsonNode, membersOf, rootOf, scalarOf, unlessBroken } from "@/lib/json-scan";

/** The server's annotations of a block: its audience and priority. */
export interface BlockNotes {
  readonly audience: readonly string[];
  readonly priority: string | null;
  readonly lastModified: string | null;
}

export type Block = { readonly notes: BlockNotes | null } & (
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image" | "audio"; readonly mime: string | null; readonly data: string }
  | {
      readonly kind: "link";
      readonly uri: string;
      readonly name: string | null;
      readonly title: string | null;
      readonly description: string | null;
      readonly mime: string | null;
      readonly size: number | null;
    }
  | {
      readonly kind: "resource";
      readonly uri: string;
      readonly mime: string | null;
      readonly text: string | null;
      readonly blob: string | null;
    }
  | { readonly kind: "unknown"; readonly type: string | null; readonly raw: string }
);

export interface ReadResult {
  readonly blocks: readonly Block[];
  /** The text of structuredContent as sent. */
  readonly structured: string | null;
  readonly isError: boolean;
  /** False if the text isn't a JSON object, so that only Raw can show it. */
  readonly readable: boolean;
}

/** Longer texts are not compared. */
const COMPARED = 200_000;

/** Parses the raw text of a result. */
export function readResult(text: string): ReadResult {
  return unlessBroken(
    () => {
      const root = rootOf(text);
      if (root.kind !== "object") return { blocks: [], structured: null, isError: false, readable: false };
      const members = namedMembers(text, root);
      const content = members.get("content");
      const structured = members.get("structuredContent");
      const isError = members.get("isError");
      return {
        blocks: content === undefined ? [] : readContent(text, content),
        structured: structured === undefined || structured.kind === "null" ? null : slice(text, structured),
        isError: isError !== undefined && slice(text, isError) === "true",
        readable: true,
      };
    },
    { blocks: [], structured: null, isError: false, readable: false },
  );
}

const slice = (text: string, node: JsonNode) => text.slice(node.start, node.end);

/** Members by name. Of duplicate keys the last one counts, as with JSON.parse. */
export function namedMembers(text: string, node: JsonNode): Map<string, JsonNode> {
  return new Map(
    [...membersOf(text, node)].flatMap((member): [string, JsonNode][] => (member.key === null ? [] : [[member.key, member.value]])),
  );
}

function readContent(text: string, node: JsonNode): Block[] {
  if (node.kind === "array") return [...membersOf(text, node)].map((member: JsonMember) => readBlock(text, member.value));
  return node.kind === "null" ? [] : [readBlock(text, node)];
}

/** A content block, from any position. */
export function readBlock(text: string, node: JsonNode): Block {
  const unknown = (type: string | null): Block => ({ kind: "unknown", type, raw: slice(text, node), notes: null });
  if (node.kind !== "object") return unknown(null);
  const members = namedMembers(text, node);
  const string = (key: string) => stringOf(text, members.get(key));
  const type = string("type");
  const notes = readNotes(text, members.get("annotations"));
  switch (type) {
    case "text": {
      const value = string("text");
      return value === null ? unknown(type) : { kind: "text", text: value, notes };
    }
    case "image":
    case "audio": {
      const data = string("data");
      return data === null ? unknown(type) : { kind: type, mime: string("mimeType"), data, notes };
    }
    case "resource_link": {
      const uri = string("uri");
      const size = Number(scalar(text, members.get("size")) ?? Number.NaN);
      if (uri === null) return unknown(type);
      return {
        kind: "link",
        uri,
        name: string("name"),
        title: string("title"),
        description: string("description"),
        mime: string("mimeType"),
        size: Number.isFinite(size) ? size : null,
        notes,
      };
    }
    case "resource": {
      const resource = members.get("resource");
      if (resource?.kind !== "object") return unknown(type);
      const inner = namedMembers(text, resource);
      const uri = stringOf(text, inner.get("uri"));
      const held = { text: stringOf(text, inner.get("text")), blob: stringOf(text, inner.get("blob")) };
      if (uri === null || (held.text === null && held.blob === null)) return unknown(type);
      return { kind: "resource", uri, mime: stringOf(text, inner.get("mimeType")), ...held, notes };
    }
    default:
      return unknown(type);
  }
}

export function stringOf(text: string, node: JsonNode | undefined): string | null {
  return node?.kind === "string" ? scalarOf(text, node) : null;
}

function scalar(text: string, node: JsonNode | undefined): string | null {
  return node === undefined || node.kind === "object" || node.kind === "array" ? null : scalarOf(text, node);
}

/** Annotations, from any position. */
export function readNotes(text: string, node: JsonNode | undefined): BlockNotes | null {
  if (node?.kind !== "object") return null;
  const members = namedMembers(text, node);
  const audience = members.get("audience");
  const notes: BlockNotes = {
    audience: audience?.kind === "array" ? [...membersOf(text, audience)].flatMap((member) => stringOf(text, member.value) ?? []) : [],
    priority: scalar(text, members.get("priority")),
    lastModified: stringOf(text, members.get("lastModified")),
  };
  return notes.audience.length === 0 && notes.priority === null && notes.lastModified === null ? null : notes;
}

/** Whether a text block only repeats the structured content, as the protocol requires. */
export function repeatsStructured(block: Block, structured: string | null): boolean {
  if (block.kind !== "text" || structured === null || !/^\s*[[{]/.test(block.text)) return false;
  if (block.text.length > COMPARED || structured.length > COMPARED) return false;
  const [said, held] = [parseJson(block.text), parseJson(structured)];
  return said.ok && held.ok && sameJson(said.node, held.node);
}
