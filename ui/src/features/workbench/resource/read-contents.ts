// Parses the result of resources/read leniently: what violates the protocol stays as JSON.
import { type JsonNode, membersOf, rootOf, unlessBroken } from "@/lib/json-scan";
import { type Block, namedMembers, readNotes, stringOf } from "../result/read-result";

/** The contents in order. Null if the text isn't a JSON object. */
export function readContents(text: string): Block[] | null {
  return unlessBroken(() => {
    const root = rootOf(text);
    if (root.kind !== "object") return null;
    const contents = namedMembers(text, root).get("contents");
    if (contents === undefined || contents.kind === "null") return [];
    return contents.kind === "array"
      ? [...membersOf(text, contents)].map(({ value }) => readContent(text, value))
      : [readContent(text, contents)];
  }, null);
}

function readContent(text: string, node: JsonNode): Block {
  const raw = text.slice(node.start, node.end);
  if (node.kind !== "object") return { kind: "unknown", type: null, raw, notes: null };
  const members = namedMembers(text, node);
  const held = { text: stringOf(text, members.get("text")), blob: stringOf(text, members.get("blob")) };
  if (held.text === null && held.blob === null) return { kind: "unknown", type: null, raw, notes: null };
  return {
    kind: "resource",
    uri: stringOf(text, members.get("uri")) ?? "",
    mime: stringOf(text, members.get("mimeType")),
    ...held,
    notes: readNotes(text, members.get("annotations")),
  };
}
