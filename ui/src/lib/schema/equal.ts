/** Compares JSON trees: numbers by value, objects regardless of order. */
import { compareDecimals, sameNumberKey } from "./decimal";
import type { JsonNode, JsonObject } from "./json";

/** Deep equality by JSON Schema's rules (1 equals 1.0). */
export function sameJson(left: JsonNode, right: JsonNode): boolean {
  if (left === right) return true;
  switch (left.kind) {
    case "null":
      return right.kind === "null";
    case "boolean":
      return right.kind === "boolean" && left.value === right.value;
    case "string":
      return right.kind === "string" && left.value === right.value;
    case "number":
      return right.kind === "number" && (left.text === right.text || compareDecimals(left.text, right.text) === 0);
    case "array":
      return (
        right.kind === "array" &&
        left.items.length === right.items.length &&
        left.items.every((item, index) => {
          const other = right.items[index];
          return other !== undefined && sameJson(item, other);
        })
      );
    case "object":
      return right.kind === "object" && left.members.length === right.members.length && sameMembers(left, right);
  }
}

function sameMembers(left: JsonObject, right: JsonObject): boolean {
  const others = new Map(right.members.map((entry) => [entry.key, entry.value]));
  return left.members.every((entry) => {
    const other = others.get(entry.key);
    return other !== undefined && sameJson(entry.value, other);
  });
}

/** A key that equal values have in common, for lookups. */
export function valueKey(node: JsonNode): string {
  switch (node.kind) {
    case "null":
      return "null";
    case "boolean":
      return String(node.value);
    case "string":
      return JSON.stringify(node.value);
    case "number":
      return sameNumberKey(node.text);
    case "array":
      return `[${node.items.map(valueKey).join(",")}]`;
    case "object":
      return `{${node.members
        .map((entry) => `${JSON.stringify(entry.key)}:${valueKey(entry.value)}`)
        .toSorted()
        .join(",")}}`;
  }
}
