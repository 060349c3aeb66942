// Content blocks of sampling and the tools offered, read from their JSON text. All of what a model or a server is sent
// can be shown: what has no shape of its own is shown as the JSON it is, with the digits as they are written.
import { at, membersOf, rootOf, unlessBroken } from "@/lib/json-scan";

export type SamplingBlock =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image" | "audio"; readonly mime: string | null; readonly data: string }
  /** All but the kind, as JSON text: the arguments, and whatever goes with them. */
  | { readonly kind: "tool_use"; readonly name: string; readonly rest: string }
  /** All but the kind, as JSON text: content, structured content, and whatever goes with them. */
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

/** An object without its `type`, everything else as it is written. */
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

/** The same block with another text; everything else in it stays. */
export function withText(raw: string, text: string): string {
  const block = objectOf(raw);
  return JSON.stringify({ ...block, type: "text", text });
}

/** What a model is told of a tool; null: it has no name, and is nothing that can be told. */
export function readTool(
  raw: string,
): { readonly name: string; readonly description: string | null; /** As it is written. */ readonly schema: string | null } | null {
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
