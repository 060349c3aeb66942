/**
 * The keywords that hold at one place of a schema: local references followed,
 * `allOf` merged. Nothing is ever fetched.
 */
import { compareDecimals } from "./decimal";
import { sameJson } from "./equal";
import { at, jsonArray, jsonBoolean, jsonObject, jsonString, member, type JsonMember, type JsonNode, type Path } from "./json";
import type { JsonReason } from "./model";

export type Keywords = Map<string, JsonNode>;

export type Flat =
  | { readonly kind: "keywords"; readonly keywords: Keywords }
  | { readonly kind: "never" }
  | { readonly kind: "json"; readonly reason: JsonReason };

const REFERENCES = ["$ref", "$dynamicRef", "$recursiveRef"] as const;
/** Keywords that say nothing about the value. */
const SILENT = new Set(["$schema", "$id", "id", "$comment", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$defs", "definitions", "$vocabulary"]);
const ANNOTATIONS = new Set(["title", "description", "default", "examples", "example", "deprecated", "readOnly", "writeOnly", "nullable"]);
/** Of two lower bounds the higher holds, of two upper bounds the lower. */
const LOWER = new Set(["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"]);
const UPPER = new Set(["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"]);

export type Resolved = { readonly kind: "found"; readonly node: JsonNode } | { readonly kind: "lost"; readonly reason: JsonReason };

/** Looks references up inside one schema document. */
export class Document {
  readonly root: JsonNode;
  private readonly anchors = new Map<string, JsonNode>();
  private readonly base: string;

  constructor(root: JsonNode) {
    this.root = root;
    const id = member(root, "$id");
    this.base = id?.kind === "string" ? id.value.replace(/#$/, "") : "";
    this.collectAnchors(root, 0);
  }

  /** The reference of a schema and what it points at; null when it has none. */
  reference(schema: JsonNode): Resolved | null {
    for (const key of REFERENCES) {
      const found = member(schema, key);
      if (found === undefined) continue;
      if (found.kind !== "string") return { kind: "lost", reason: "malformed" };
      return this.resolve(found.value);
    }
    return null;
  }

  /** Whether the schema says nothing but a reference, apart from titles and the like. */
  isBareReference(schema: JsonNode): boolean {
    if (schema.kind !== "object") return false;
    const names: readonly string[] = REFERENCES;
    return (
      schema.members.some((entry) => names.includes(entry.key)) &&
      schema.members.every((entry) => names.includes(entry.key) || SILENT.has(entry.key) || (ANNOTATIONS.has(entry.key) && entry.key !== "nullable"))
    );
  }

  private resolve(reference: string): Resolved {
    const [document = "", fragment = ""] = reference.split("#", 2);
    if (document !== "" && document !== this.base) return { kind: "lost", reason: "remoteRef" };
    if (fragment === "") return { kind: "found", node: this.root };
    const node = fragment.startsWith("/") ? at(this.root, this.pointer(fragment)) : this.anchors.get(fragment);
    return node === undefined ? { kind: "lost", reason: "missingRef" } : { kind: "found", node };
  }

  private pointer(fragment: string): Path {
    const path: (string | number)[] = [];
    let here: JsonNode | undefined = this.root;
    for (const part of fragment.slice(1).split("/")) {
      const name = decode(part).replaceAll("~1", "/").replaceAll("~0", "~");
      const step: string | number = here?.kind === "array" && /^\d+$/.test(name) ? Number(name) : name;
      path.push(step);
      here = at(here, [step]);
    }
    return path;
  }

  private collectAnchors(node: JsonNode, depth: number): void {
    if (depth > 100) return;
    if (node.kind === "array") for (const item of node.items) this.collectAnchors(item, depth + 1);
    if (node.kind !== "object") return;
    for (const entry of node.members) {
      if ((entry.key === "$anchor" || entry.key === "$dynamicAnchor") && entry.value.kind === "string") {
        if (!this.anchors.has(entry.value.value)) this.anchors.set(entry.value.value, node);
      }
      this.collectAnchors(entry.value, depth + 1);
    }
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** All keywords that hold at the schema. `spend` is called per step and may refuse by throwing. */
export function flatten(schema: JsonNode, document: Document, spend: () => void, trail: readonly JsonNode[] = []): Flat {
  spend();
  if (schema.kind === "boolean") return schema.value ? { kind: "keywords", keywords: new Map() } : { kind: "never" };
  if (schema.kind !== "object") return { kind: "json", reason: "malformed" };
  if (trail.includes(schema)) return { kind: "json", reason: "loop" };
  const inner = [...trail, schema];

  const keywords: Keywords = new Map();
  const parts: JsonNode[] = [];
  for (const entry of schema.members) {
    if (SILENT.has(entry.key) || REFERENCES.some((name) => name === entry.key)) continue;
    if (entry.key === "allOf" && entry.value.kind === "array") parts.push(...entry.value.items);
    else keywords.set(entry.key, entry.value);
  }
  const target = document.reference(schema);
  if (target?.kind === "lost") return { kind: "json", reason: target.reason };
  if (target !== null) parts.unshift(target.node);

  let merged = keywords;
  for (const part of parts) {
    const flat = flatten(part, document, spend, inner);
    if (flat.kind !== "keywords") return flat;
    const next = merge(merged, flat.keywords);
    if (next === null) return { kind: "json", reason: "conflict" };
    merged = next;
  }
  return { kind: "keywords", keywords: merged };
}

/** Both sets of keywords at once; null when no form can show both. Annotations of the first win. */
export function merge(first: Keywords, second: Keywords): Keywords | null {
  const merged: Keywords = new Map(first);
  for (const [key, value] of second) {
    const own = merged.get(key);
    if (own === undefined) {
      merged.set(key, value);
      continue;
    }
    const both = mergeKeyword(key, own, value);
    if (both === null) return null;
    merged.set(key, both);
  }
  return merged;
}

function mergeKeyword(key: string, first: JsonNode, second: JsonNode): JsonNode | null {
  if (ANNOTATIONS.has(key) || sameJson(first, second)) return first;
  if (LOWER.has(key) || UPPER.has(key)) {
    if (first.kind !== "number" || second.kind !== "number") return first;
    const order = compareDecimals(first.text, second.text) ?? 0;
    return LOWER.has(key) === order < 0 ? second : first;
  }
  switch (key) {
    case "type":
      return mergeTypes(first, second);
    case "required":
      return jsonArray([...list(first), ...list(second).filter((item) => !list(first).some((own) => sameJson(own, item)))]);
    case "enum": {
      const shared = list(first).filter((item) => list(second).some((other) => sameJson(item, other)));
      return shared.length === 0 ? null : jsonArray(shared);
    }
    case "pattern":
      return jsonArray([...list(first), ...list(second)]);
    case "uniqueItems":
      return jsonBoolean(isTrue(first) || isTrue(second));
    case "properties":
    case "patternProperties":
      return mergeProperties(first, second);
    case "additionalProperties":
    case "unevaluatedProperties":
    case "items":
    case "additionalItems":
      return both(first, second);
    case "const":
    case "oneOf":
    case "anyOf":
    case "prefixItems":
      return null;
    default:
      return first;
  }
}

function both(first: JsonNode, second: JsonNode): JsonNode {
  if (first.kind === "boolean") return first.value ? second : first;
  if (second.kind === "boolean") return second.value ? first : second;
  return jsonObject([{ key: "allOf", value: jsonArray([first, second]) }]);
}

function mergeProperties(first: JsonNode, second: JsonNode): JsonNode {
  if (first.kind !== "object") return second;
  if (second.kind !== "object") return first;
  const members: JsonMember[] = first.members.map((entry) => {
    const other = member(second, entry.key);
    return other === undefined ? entry : { key: entry.key, value: both(entry.value, other) };
  });
  const names = new Set(first.members.map((entry) => entry.key));
  return jsonObject([...members, ...second.members.filter((entry) => !names.has(entry.key))]);
}

function mergeTypes(first: JsonNode, second: JsonNode): JsonNode | null {
  const names = (node: JsonNode) => list(node).flatMap((item) => (item.kind === "string" ? [item.value] : []));
  const [left, right] = [names(first), names(second)];
  const shared = left.flatMap((name) => {
    if (right.includes(name)) return [name];
    if (name === "number" && right.includes("integer")) return ["integer"];
    return name === "integer" && right.includes("number") ? [name] : [];
  });
  if (shared.length === 0) return null;
  return shared.length === 1 && shared[0] !== undefined ? jsonString(shared[0]) : jsonArray(shared.map(jsonString));
}

/** A list as its items; anything else as a list of one. */
export function list(node: JsonNode | undefined): readonly JsonNode[] {
  if (node === undefined) return [];
  return node.kind === "array" ? node.items : [node];
}

export function isTrue(node: JsonNode | undefined): boolean {
  return node?.kind === "boolean" && node.value;
}
