// Parses sampling content blocks and the offered tools from their JSON text. Everything that is sent to a model or a
// server can be shown: unknown content is shown as JSON, with its original digits.
import { at, membersOf, rootOf, unlessBroken } from "@/lib/json-scan";

export type SamplingBlock =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image" | "audio"; readonly mime: string | null; readonly data: string }
  /** Everything except the type, as JSON text: the arguments, and any other members. */
  | { readonly kind: "tool_use"; readonly name: string; readonly rest: string }
  /** Everything except the type, as JSON text: content, structured content, and any other members. */
  | { readonly kind: "tool_result"; readonly rest: string; readonly error: boolean }
  | { readonly kind: "unknown"; readonly raw: string };

function objectOf(raw: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null; // shown as text
  }
}

/** An object without its `type`. The rest is unchanged. */
function withoutType(raw: string): string {
  const members = unlessBroken(() => [...membersOf(raw, rootOf(raw))], null)?.filter(({ key }) => key !== "type");
  return members === undefined
    ? raw
    : `{${members.map(({ key, value }) => `${JSON.stringify(key)}:${raw.slice(value.start, value.end)}`).join(",")}}`;
}

export function readBlock(raw: string): SamplingBlock {
  const block = objectOf(raw);
  const type = block?.["type"];
  if (type === "text" && typeof block?.["text"] === "string") return { kind: "text", text: block["text"] };
  if ((type === "image" || type === "audio") && typeof block?.["data"] === "string") {
    const mime = block["mimeType"];
    return { kind: type, mime: typeof mime === "string" ? mime : null, data: block["data"] };
  }
  if (type === "tool_use" && typeof block?.["name"] === "string") return { kind: "tool_use", name: block["name"], rest: withoutType(raw) };
  if (type === "tool_result") return { kind: "tool_result", rest: withoutType(raw), error: block?.["isError"] === true };
  return { kind: "unknown", raw };
}

/** The block with another text. The rest is unchanged. */
export function withText(raw: string, text: string): string {
  const block = objectOf(raw);
  return JSON.stringify({ ...block, type: "text", text });
}

/** What a model learns about a tool. Null if it has no name and can't be offered. */
export function readTool(
  raw: string,
): { readonly name: string; readonly description: string | null; /** The original JSON text. */ readonly schema: string | null } | null {
  const tool = objectOf(raw);
  const name = tool?.["name"];
  const description = tool?.["description"];
  if (typeof name !== "string") return null;
  const schema = at(raw, "inputSchema");
  return {
    name,
    description: typeof description === "string" ? description : null,
    schema: schema === null ? null : raw.slice(schema.start, schema.end),
  };
}
