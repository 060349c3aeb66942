// Masks values that look like secrets in arguments, for display only.
import { jsonString, type JsonNode, stringify } from "@/lib/schema/json";
import { parseJson } from "@/lib/schema/parse";
import { looksSecret } from "@/lib/secrets";

const MASK = "•••";

function masked(node: JsonNode, name: string): JsonNode {
  switch (node.kind) {
    case "object":
      // Everything in a secret-looking member is masked.
      return {
        ...node,
        members: node.members.map(({ key, value }) => ({ key, value: masked(value, looksSecret(name, "") ? name : key) })),
      };
    case "array":
      return { ...node, items: node.items.map((item) => masked(item, name)) };
    case "string":
      return node.value !== "" && looksSecret(name, node.value) ? jsonString(MASK) : node;
    case "number":
      return looksSecret(name, "") ? jsonString(MASK) : node;
    case "boolean":
    case "null":
      return node;
  }
}

/** JSON text with secret-looking values masked. Invalid JSON stays unchanged. */
export function maskSecrets(text: string): string {
  const parsed = parseJson(text);
  return parsed.ok ? stringify(masked(parsed.node, "")) : text;
}
