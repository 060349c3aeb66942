// Content blocks of sampling, read from their JSON text. What is not known is shown as the JSON it is.
export type SamplingBlock =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image" | "audio"; readonly mime: string | null; readonly data: string }
  | { readonly kind: "tool_use"; readonly name: string; readonly input: string }
  | { readonly kind: "tool_result"; readonly raw: string; readonly error: boolean }
  | { readonly kind: "unknown"; readonly raw: string };

function objectOf(raw: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null; // shown as text
  }
}

export function readBlock(raw: string): SamplingBlock {
  const block = objectOf(raw);
  const type = block?.["type"];
  if (type === "text" && typeof block?.["text"] === "string") return { kind: "text", text: block["text"] };
  if ((type === "image" || type === "audio") && typeof block?.["data"] === "string") {
    const mime = block["mimeType"];
    return { kind: type, mime: typeof mime === "string" ? mime : null, data: block["data"] };
  }
  if (type === "tool_use" && typeof block?.["name"] === "string") return { kind: "tool_use", name: block["name"], input: JSON.stringify(block["input"] ?? {}) };
  if (type === "tool_result") return { kind: "tool_result", raw: JSON.stringify(block?.["content"] ?? null), error: block?.["isError"] === true };
  return { kind: "unknown", raw };
}

/** The same block with another text; everything else in it stays. */
export function withText(raw: string, text: string): string {
  const block = objectOf(raw);
  return JSON.stringify({ ...block, type: "text", text });
}

/** Name and description of a tool that is offered to the model. */
export function readTool(raw: string): { readonly name: string; readonly description: string | null } {
  const tool = objectOf(raw);
  const name = tool?.["name"];
  const description = tool?.["description"];
  return { name: typeof name === "string" ? name : raw.slice(0, 128), description: typeof description === "string" ? description : null };
}
