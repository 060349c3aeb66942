/** The keywords that apply at one place of a schema: local references resolved, `allOf` merged. Loads nothing. */
import { compareDecimals } from "./decimal";
import type { Document } from "./document";
import { sameJson, valueKey } from "./equal";
import { mended } from "./spelling";
import { jsonArray, jsonBoolean, jsonObject, jsonString, member, type JsonMember, type JsonNode } from "./json";
import type { JsonReason } from "./model";

export type Keywords = Map<string, JsonNode>;

export type Flat =
  | { readonly kind: "keywords"; readonly keywords: Keywords }
  | { readonly kind: "never" }
  | { readonly kind: "json"; readonly reason: JsonReason };

export const REFERENCES = ["$ref", "$dynamicRef", "$recursiveRef"] as const;
/** Keywords that say nothing about the value. */
export const SILENT = new Set([
  "$schema",
  "$id",
  "id",
  "$comment",
  "$anchor",
  "$dynamicAnchor",
  "$recursiveAnchor",
  "$defs",
  "definitions",
  "$vocabulary",
]);
/** The original type, if it isn't one of JSON Schema. No schema can have a keyword with this name. */
export const TYPE_NAME = "\u0000type";
export const ANNOTATIONS = new Set([
  TYPE_NAME,
  "title",
  "description",
  "default",
  "examples",
  "example",
  "deprecated",
  "readOnly",
  "writeOnly",
  "nullable",
]);
/** Of two lower bounds the higher applies, of two upper bounds the lower. */
const LOWER = new Set(["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"]);
const UPPER = new Set(["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"]);

/** Called per step, with the approximate number of characters that are read again. May throw to stop. */
export type Spend = (again?: number) => void;

/** The approximate size of the keywords' values in characters. */
export function weightOf(keywords: Keywords): number {
  let weight = keywords.size;
  // Merged values have no position in the text. Their parts were counted when they were merged.
  for (const value of keywords.values()) weight += value.from >= 0 ? value.to - value.from : list(value).length;
  return weight;
}

/** All keywords that apply to the schema. */
export function flatten(schema: JsonNode, document: Document, spend: Spend, trail: readonly JsonNode[] = []): Flat {
  spend();
  if (schema.kind === "boolean") return schema.value ? { kind: "keywords", keywords: new Map() } : { kind: "never" };
  // PHP writes an empty object like this.
  if (schema.kind === "array" && schema.items.length === 0) return { kind: "keywords", keywords: new Map() };
  if (schema.kind !== "object") return { kind: "json", reason: "malformed" };
  if (allowsNothing(schema)) return { kind: "never" };
  if (trail.includes(schema)) return { kind: "json", reason: "loop" };
  const inner = [...trail, schema];

  const keywords: Keywords = new Map();
  const parts: JsonNode[] = [];
  for (const entry of schema.members) {
    if (SILENT.has(entry.key) || REFERENCES.some((name) => name === entry.key)) continue;
    if (entry.key === "allOf" && entry.value.kind === "array") parts.push(...entry.value.items);
    else keywords.set(entry.key, entry.value);
  }
  const type = keywords.get("type");
  const read = type === undefined ? null : mended(type);
  if (read !== null) {
    if (read.type === undefined) keywords.delete("type");
    else keywords.set("type", read.type);
    if (read.items !== undefined && !keywords.has("items")) keywords.set("items", read.items);
    keywords.set(TYPE_NAME, jsonString(read.written));
  }
  const target = document.reference(schema);
  if (target?.kind === "lost") return { kind: "json", reason: target.reason };
  if (target !== null) parts.unshift(target.node);

  let merged = keywords;
  for (const part of parts) {
    const flat = flatten(part, document, spend, inner);
    if (flat.kind !== "keywords") return flat;
    spend(weightOf(merged) + weightOf(flat.keywords));
    const next = merge(merged, flat.keywords);
    if (next === null) return { kind: "json", reason: "conflict" };
    merged = next;
  }
  return { kind: "keywords", keywords: merged };
}

/** Combines both sets of keywords. Null if no form can show both. Annotations of the first win. */
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
    case "pattern":
      return jsonArray([...list(first), ...among(second, first, false)]);
    case "enum": {
      const shared = among(first, second, true);
      return shared.length === 0 ? null : jsonArray(shared);
    }
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

/** The items that are in the other list too, or those that aren't. */
function among(node: JsonNode, other: JsonNode, wanted: boolean): JsonNode[] {
  const keys = new Set(list(other).map(valueKey));
  return list(node).filter((item) => keys.has(valueKey(item)) === wanted);
}

function both(first: JsonNode, second: JsonNode): JsonNode {
  if (first.kind === "boolean") return first.value ? second : first;
  if (second.kind === "boolean") return second.value ? first : second;
  return jsonObject([{ key: "allOf", value: jsonArray([first, second]) }]);
}

function mergeProperties(first: JsonNode, second: JsonNode): JsonNode {
  if (first.kind !== "object") return second;
  if (second.kind !== "object") return first;
  const others = new Map(second.members.map((entry) => [entry.key, entry.value]));
  const members: JsonMember[] = first.members.map((entry) => {
    const other = others.get(entry.key);
    return other === undefined ? entry : { key: entry.key, value: both(entry.value, other) };
  });
  const names = new Set(first.members.map((entry) => entry.key));
  return jsonObject([...members, ...second.members.filter((entry) => !names.has(entry.key))]);
}

function mergeTypes(first: JsonNode, second: JsonNode): JsonNode | null {
  const names = (node: JsonNode) => [...new Set(list(node).flatMap((item) => (item.kind === "string" ? [item.value] : [])))];
  const [left, right] = [names(first), new Set(names(second))];
  const shared = left.flatMap((name) => {
    if (right.has(name)) return [name];
    if (name === "number" && right.has("integer")) return ["integer"];
    return name === "integer" && right.has("number") ? [name] : [];
  });
  if (shared.length === 0) return null;
  return shared.length === 1 && shared[0] !== undefined ? jsonString(shared[0]) : jsonArray(shared.map(jsonString));
}

/** Whether it is `{"not": {}}`, which zod writes for optional members of a union. */
export function allowsNothing(schema: JsonNode): boolean {
  const not = member(schema, "not");
  return (not?.kind === "object" && not.members.length === 0) || isTrue(not);
}

/** The items of a list, or the node itself as a list of one. */
export function list(node: JsonNode | undefined): readonly JsonNode[] {
  if (node === undefined) return [];
  return node.kind === "array" ? node.items : [node];
}

export function isTrue(node: JsonNode | undefined): boolean {
  return node?.kind === "boolean" && node.value;
}
