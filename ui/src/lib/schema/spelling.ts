// Non-standard type names: `int`, `Optional[str]`, `string|null`, `List<String>`, `STRING`. Elicitation supports the
// same (`crates/forms/src/type_names.rs`).
import { jsonArray, jsonObject, jsonString, type JsonNode } from "./json";

/** The types of JSON Schema, each with its other names. */
const NAMES: readonly (readonly [string, readonly string[]])[] = [
  [
    "string",
    "string str text char varchar uuid guid url uri email path file date datetime date-time time timestamp duration timedelta bytes base64 password".split(
      " ",
    ),
  ],
  [
    "integer",
    "integer int long short byte bigint int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 isize usize biginteger".split(
      " ",
    ),
  ],
  ["number", "number num float double decimal real numeric float32 float64 f32 f64 single bigdecimal".split(" ")],
  ["boolean", ["boolean", "bool"]],
  ["object", "object dict dictionary map hash hashmap record struct mapping btreemap".split(" ")],
  ["array", "array list tuple set sequence vec vector slice iterable arraylist frozenset".split(" ")],
  ["null", "null none nil nonetype undefined void".split(" ")],
];
const BY_NAME: ReadonlyMap<string, string> = new Map(NAMES.flatMap(([type, names]) => names.map((name) => [name, type] as const)));
const OWN: ReadonlySet<string> = new Set(NAMES.map(([type]) => type));
/** Names for any value. */
const ANY = new Set(["any", "json", "mixed", "unknown", "dynamic", "interface{}"]);
/** Prefixes of type names. */
const PREFIX = /^(?:typing\.|builtins\.|java\.lang\.|java\.util\.|system\.|std::)+/i;

/** The meaning of a type name. */
interface Meant {
  /** Types of JSON Schema, including null. Empty for any value. */
  readonly types: readonly string[];
  /** The original type of a list's items. */
  readonly items: string | undefined;
}

const anything: Meant = { types: [], items: undefined };

/** Whether a type name means null. */
export const namesNull = (name: string): boolean => meant(name, 0)?.types.join() === "null";

/** A type in JSON Schema's terms, and the type of a list's items. Null if it needs no change, or is unknown. */
export function mended(
  type: JsonNode,
): { readonly type: JsonNode | undefined; readonly items: JsonNode | undefined; readonly written: string } | null {
  const names = type.kind === "array" ? type.items : [type];
  const texts = names.flatMap((node) => (node.kind === "string" ? [node.value] : []));
  const others = texts.filter((name) => !OWN.has(name));
  if (others.length === 0 || texts.length < names.length) return null;
  const all = together(texts, 0);
  if (all === null) return null;
  return {
    type:
      all.types.length === 0 ? undefined : all.types.length === 1 ? jsonString(all.types[0] ?? "") : jsonArray(all.types.map(jsonString)),
    items: all.items === undefined ? undefined : jsonObject([{ key: "type", value: jsonString(all.items) }]),
    written: others.join(", "),
  };
}

function meant(name: string, depth: number): Meant | null {
  if (depth > 8 || name.length > 256) return null;
  const own = name.trim().replace(PREFIX, "");
  const lower = own.toLowerCase();
  const known = BY_NAME.get(lower);
  if (known !== undefined) return { types: [known], items: undefined };
  if (ANY.has(lower)) return anything;
  const alternatives = split(own, "|");
  if (alternatives.length > 1) return together(alternatives, depth + 1);
  if (own.endsWith("?")) return withNull(meant(own.slice(0, -1), depth + 1));
  if (own.endsWith("[]")) return listOf(own.slice(0, -2), depth);
  if (own.startsWith("[]")) return listOf(own.slice(2), depth);
  const opened = own.search(/[[<(]/);
  if (opened < 0 || !/[\]>)]$/.test(own)) return null;
  const outer = lower.slice(0, opened);
  const parts = split(own.slice(opened + 1, -1), ",");
  const [only] = parts;
  if (/^(?:optional|nullable|option|maybe)$/.test(outer))
    return parts.length === 1 && only !== undefined ? withNull(meant(only, depth + 1)) : null;
  if (outer === "union") return together(parts, depth + 1);
  const read = meant(outer, depth + 1);
  return read?.types.join() === "array" && parts.length === 1 && only !== undefined ? listOf(only, depth) : read;
}

const listOf = (items: string, depth: number): Meant | null => (meant(items, depth + 1) === null ? null : { types: ["array"], items });

const withNull = (read: Meant | null): Meant | null =>
  read === null || read.types.length === 0 ? read : { ...read, types: [...new Set([...read.types, "null"])] };

function together(names: readonly string[], depth: number): Meant | null {
  const types = new Set<string>();
  let items: string | undefined;
  for (const name of names) {
    const one = meant(name, depth + 1);
    // "Any" among others means any.
    if (one === null || one.types.length === 0) return one;
    for (const type of one.types) types.add(type);
    items ??= one.items;
  }
  return { types: [...types], items };
}

/** Splits at separators outside of brackets. */
function split(text: string, separator: string): string[] {
  const parts: string[] = [];
  let open = 0;
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? "";
    if ("[<(".includes(char)) open += 1;
    else if ("]>)".includes(char)) open = Math.max(0, open - 1);
    else if (char === separator && open === 0) {
      parts.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  return [...parts, text.slice(from).trim()];
}
