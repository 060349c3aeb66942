// Finds where a text is in a message.
import { type JsonMember, type JsonNode, membersOf, rootOf, scalarOf, unlessBroken } from "@/lib/json-scan";
import { placeOf } from "@/lib/needle";

export interface Place {
  /** For example `result.content[0].text`. Empty if the text isn't JSON. */
  readonly path: string;
  /** The value there, or the whole text if the match spans several values. */
  readonly around: string;
}

/** The first match of `needle` in a text that contains it. */
export function placeIn(text: string, needle: string): Place {
  const offset = placeOf(text, needle);
  let path = "";
  let node: JsonNode | null = unlessBroken(() => rootOf(text), null);
  while (node !== null && (node.kind === "object" || node.kind === "array")) {
    const member = memberAt(text, node, offset);
    if (member === null) return { path, around: text };
    path += member.key === null ? `[${member.index}]` : path === "" ? member.key : `.${member.key}`;
    node = member.value;
  }
  const value = node === null ? text : scalarOf(text, node);
  return { path, around: placeOf(value, needle) === -1 ? text : value };
}

function memberAt(text: string, node: JsonNode, offset: number): JsonMember | null {
  return unlessBroken(() => {
    for (const member of membersOf(text, node)) if (member.value.start <= offset && offset < member.value.end) return member;
    return null;
  }, null);
}
