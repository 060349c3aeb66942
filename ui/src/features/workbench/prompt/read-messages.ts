// Parses the result of prompts/get leniently: what violates the protocol stays as JSON.
import { type JsonNode, membersOf, rootOf, unlessBroken } from "@/lib/json-scan";
import { type Block, namedMembers, readBlock, stringOf } from "../result/read-result";

export interface Message {
  /** The role as the server names it. Null if it is missing. */
  readonly role: string | null;
  readonly blocks: readonly Block[];
}

export interface ReadPrompt {
  readonly description: string | null;
  readonly messages: readonly Message[];
}

/** The messages of a prompt. Null if the text isn't a JSON object. */
export function readMessages(text: string): ReadPrompt | null {
  return unlessBroken(() => {
    const root = rootOf(text);
    if (root.kind !== "object") return null;
    const members = namedMembers(text, root);
    const messages = members.get("messages");
    return {
      description: stringOf(text, members.get("description")),
      messages: messages?.kind === "array" ? [...membersOf(text, messages)].map(({ value }) => readMessage(text, value)) : [],
    };
  }, null);
}

function readMessage(text: string, node: JsonNode): Message {
  const odd: Block = { kind: "unknown", type: null, raw: text.slice(node.start, node.end), notes: null };
  if (node.kind !== "object") return { role: null, blocks: [odd] };
  const members = namedMembers(text, node);
  const content = members.get("content");
  const role = stringOf(text, members.get("role"));
  if (content === undefined) return { role, blocks: [odd] };
  if (content.kind === "array") return { role, blocks: [...membersOf(text, content)].map(({ value }) => readBlock(text, value)) };
  const words = stringOf(text, content);
  return { role, blocks: [words === null ? readBlock(text, content) : { kind: "text", text: words, notes: null }] };
}

/** The messages as plain text. Content without text is named by its type or URI. */
export function promptText({ messages }: ReadPrompt): string {
  const said = (block: Block): string => {
    switch (block.kind) {
      case "text":
        return block.text;
      case "link":
        return block.uri;
      case "resource":
        return block.text ?? block.uri;
      case "image":
      case "audio":
        return `[${block.mime ?? block.kind}]`;
      case "unknown":
        return block.raw;
    }
  };
  return messages.map(({ role, blocks }) => `${role ?? "?"}: ${blocks.map(said).join("\n")}`).join("\n\n");
}
