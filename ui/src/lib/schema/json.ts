/**
 * Lossless JSON: a tree that keeps what `JSON.parse` loses: the source text of numbers (2^60, 1.0, 1e400), the order of
 * members, duplicate keys, and members named `__proto__`. Every node has its position in the text.
 */

interface Placed {
  /** The offset of the first character in the parsed text. -1 if the node was created by an edit. */
  readonly from: number;
  /** The offset after the last character. */
  readonly to: number;
}

export interface JsonNull extends Placed {
  readonly kind: "null";
}
export interface JsonBoolean extends Placed {
  readonly kind: "boolean";
  readonly value: boolean;
}
export interface JsonNumber extends Placed {
  readonly kind: "number";
  /** The number exactly as written. */
  readonly text: string;
}
export interface JsonString extends Placed {
  readonly kind: "string";
  readonly value: string;
}
export interface JsonArray extends Placed {
  readonly kind: "array";
  readonly items: readonly JsonNode[];
}
export interface JsonMember {
  readonly key: string;
  readonly value: JsonNode;
}
export interface JsonObject extends Placed {
  readonly kind: "object";
  readonly members: readonly JsonMember[];
}
export type JsonNode = JsonNull | JsonBoolean | JsonNumber | JsonString | JsonArray | JsonObject;

/** A path in a tree: member names and array indexes. */
export type Path = readonly (string | number)[];

const MADE: Placed = { from: -1, to: -1 };

export const jsonNull: JsonNull = { kind: "null", ...MADE };
export const jsonBoolean = (value: boolean): JsonBoolean => ({ kind: "boolean", value, ...MADE });
export const jsonNumber = (text: string): JsonNumber => ({ kind: "number", text, ...MADE });
export const jsonString = (value: string): JsonString => ({ kind: "string", value, ...MADE });
export const jsonArray = (items: readonly JsonNode[]): JsonArray => ({ kind: "array", items, ...MADE });
export const jsonObject = (members: readonly JsonMember[]): JsonObject => ({ kind: "object", members, ...MADE });

/** The member's value. The last one of duplicate keys, as with `JSON.parse`. */
export function member(node: JsonNode | undefined, key: string): JsonNode | undefined {
  if (node?.kind !== "object") return undefined;
  for (let index = node.members.length - 1; index >= 0; index -= 1) {
    const found = node.members[index];
    if (found?.key === key) return found.value;
  }
  return undefined;
}

/** The member's value if it is a string. */
export function stringMember(node: JsonNode | undefined, key: string): string | undefined {
  const found = member(node, key);
  return found?.kind === "string" ? found.value : undefined;
}

/** The node at the end of the path. */
export function at(node: JsonNode | undefined, path: Path): JsonNode | undefined {
  let here = node;
  for (const step of path) {
    if (typeof step === "string") here = member(here, step);
    else here = here?.kind === "array" ? here.items[step] : undefined;
    if (here === undefined) return undefined;
  }
  return here;
}

/**
 * A copy with the value at the path replaced. Missing containers are created, and `undefined` removes the member or
 * item. Everything else stays unchanged.
 */
export function put(node: JsonNode | undefined, path: Path, value: JsonNode | undefined): JsonNode | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (typeof step === "string") {
    const members = node?.kind === "object" ? node.members : [];
    let index = members.length - 1;
    while (index >= 0 && members[index]?.key !== step) index -= 1;
    const next = put(members[index]?.value, rest, value);
    if (next === undefined) {
      if (node?.kind !== "object") return node;
      return jsonObject(members.filter((entry) => entry.key !== step));
    }
    const entry = { key: step, value: next };
    return jsonObject(index < 0 ? [...members, entry] : members.with(index, entry));
  }
  const items = node?.kind === "array" ? node.items : [];
  const next = put(items[step], rest, value);
  if (next === undefined) {
    if (node?.kind !== "array") return node;
    return jsonArray(items.filter((_, position) => position !== step));
  }
  if (step < items.length) return jsonArray(items.with(step, next));
  // JSON has no holes, so they are filled with null.
  const gap = Array.from({ length: step - items.length }, () => jsonNull);
  return jsonArray([...items, ...gap, next]);
}

/** A copy with a member renamed in place. */
export function renameMember(node: JsonNode | undefined, from: string, to: string): JsonNode | undefined {
  if (node?.kind !== "object") return node;
  return jsonObject(node.members.map((entry) => (entry.key === from ? { key: to, value: entry.value } : entry)));
}

/** JSON text, formatted with `indent` spaces, or on one line with 0. */
export function stringify(node: JsonNode, indent = 0): string {
  const out: string[] = [];
  write(node, indent, "\n", out);
  return out.join("");
}

function write(node: JsonNode, indent: number, newline: string, out: string[]): void {
  switch (node.kind) {
    case "null":
      out.push("null");
      return;
    case "boolean":
      out.push(node.value ? "true" : "false");
      return;
    case "number":
      out.push(node.text);
      return;
    case "string":
      out.push(JSON.stringify(node.value));
      return;
    case "array":
    case "object": {
      const [open, close] = node.kind === "array" ? ["[", "]"] : ["{", "}"];
      const count = node.kind === "array" ? node.items.length : node.members.length;
      if (count === 0) {
        out.push(open, close);
        return;
      }
      const inner = indent > 0 ? newline + " ".repeat(indent) : "";
      out.push(open);
      for (let index = 0; index < count; index += 1) {
        if (index > 0) out.push(",");
        out.push(inner);
        if (node.kind === "object") {
          const entry = node.members[index];
          if (entry === undefined) continue;
          out.push(JSON.stringify(entry.key), indent > 0 ? ": " : ":");
          write(entry.value, indent, inner, out);
        } else {
          const item = node.items[index];
          if (item !== undefined) write(item, indent, inner, out);
        }
      }
      out.push(indent > 0 ? newline : "", close);
    }
  }
}

/** A readable path: `rows[2].name`, with unusual names quoted. */
export function pathText(path: Path): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(step)) text += text === "" ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}

/** A path as a key for maps. Distinct paths never collide. */
export function pathKey(path: Path): string {
  return JSON.stringify(path);
}
