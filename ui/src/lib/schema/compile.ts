/** Converts a tool's raw JSON Schema text to the form's model. Never throws, and loads nothing. */
import { Document } from "./document";
import { member, stringMember, type JsonNode } from "./json";
import { allowsNothing, flatten, isTrue, list, merge, weightOf, type Keywords, type Spend } from "./keywords";
import {
  ABOUT,
  annotationCount,
  asOption,
  count,
  described,
  enumField,
  isNull,
  numberField,
  onlyDemands,
  plain,
  schemaKeywords,
  stringField,
} from "./leaves";
import { concrete, type Choice, type EnumOption, type Field, type FormModel, type Property } from "./model";
import { parseJson } from "./parse";

/** A larger schema is only edited as JSON. */
export const SCHEMA_LIMITS = { bytes: 256 * 1024, nodes: 10_000, depth: 64 } as const;

/** The most characters that are read again while merging, because references and alternatives multiply. */
const AGAIN = 16 * 1024 * 1024;

/** The most fields for names that an object requires but doesn't describe. */
const MOST_UNDESCRIBED = 100;
const undescribed: Field = { ...plain, kind: "json", reason: "undescribed", type: undefined };

class TooLarge extends Error {}

/** The form for a tool with this input schema (null if it has none). */
export function compileSchema(text: string | null): FormModel {
  if (text === null) return { kind: "none", reason: "absent" };
  // A UTF-16 unit is up to three bytes. They are only counted if it could matter.
  if (
    text.length > SCHEMA_LIMITS.bytes ||
    (text.length * 3 > SCHEMA_LIMITS.bytes && new TextEncoder().encode(text).length > SCHEMA_LIMITS.bytes)
  ) {
    return { kind: "none", reason: "tooLarge" };
  }
  const parsed = parseJson(text);
  if (!parsed.ok) return { kind: "none", reason: parsed.error.code === "tooDeep" ? "tooLarge" : "notJson" };
  try {
    const root = new Compiler(parsed.node).compile(parsed.node, 0);
    return asRoot(root);
  } catch (error) {
    if (error instanceof TooLarge) return { kind: "none", reason: "tooLarge" };
    throw error;
  }
}

function asRoot(root: Field): FormModel {
  const field = concrete(root);
  if (field.kind === "json") return { kind: "none", reason: field.reason === "undescribed" ? "any" : field.reason };
  const objects = objectsOf(root, 0);
  return objects === null ? { kind: "none", reason: "notObject" } : { kind: "form", root: objects };
}

/** The part of a field that can be an object, as arguments always are. Null if there is none. */
function objectsOf(declared: Field, depth: number): Field | null {
  const field = concrete(declared);
  if (field.kind === "object") return declared;
  if (field.kind !== "choice" || depth > SCHEMA_LIMITS.depth) return null;
  const choices = field.choices.flatMap((choice): Choice[] => {
    const objects = objectsOf(choice.field, depth + 1);
    return objects === null ? [] : [{ ...choice, field: objects }];
  });
  const [only] = choices;
  if (only === undefined) return null;
  if (choices.length === 1)
    return {
      ...only.field,
      title: field.title ?? only.label ?? only.field.title,
      description: field.description ?? only.field.description,
    };
  return { ...field, choices };
}

const TYPES = new Set(["null", "boolean", "object", "array", "number", "integer", "string"]);
const HINTS: readonly (readonly [string, readonly string[]])[] = [
  ["object", ["properties", "required", "additionalProperties", "patternProperties", "minProperties", "maxProperties"]],
  ["array", ["items", "prefixItems", "minItems", "maxItems", "uniqueItems"]],
  ["string", ["minLength", "maxLength", "pattern", "format"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
];

class Compiler {
  private readonly document: Document;
  /** Fields by their schemas. Null while in progress, which detects cycles. */
  private readonly done = new Map<JsonNode, Field | null>();
  private spent = 0;
  private again = 0;

  constructor(root: JsonNode) {
    this.document = new Document(root);
  }

  compile(schema: JsonNode, depth: number): Field {
    this.spend(schema.kind === "object" ? schema.members.length : 0);
    if (depth > SCHEMA_LIMITS.depth) return { ...plain, kind: "json", reason: "deep", type: undefined };
    if (this.document.isBareReference(schema)) return this.reference(schema, depth);
    const known = this.done.get(schema);
    if (known !== undefined) return known ?? this.pointer(schema, "");
    this.done.set(schema, null);
    const field = this.place(schema, depth);
    this.done.set(schema, field);
    return field;
  }

  private readonly spend: Spend = (again = 0) => {
    this.spent += 1;
    this.again += again;
    if (this.spent > SCHEMA_LIMITS.nodes || this.again > AGAIN) throw new TooLarge();
  };

  /** A schema that is only a reference. The definition is compiled once and reused. */
  private reference(schema: JsonNode, depth: number): Field {
    const seen = new Set<JsonNode>();
    const annotations: JsonNode[] = [];
    let here = schema;
    let name = "";
    while (this.document.isBareReference(here)) {
      if (seen.has(here)) return { ...plain, kind: "json", reason: "loop", type: undefined };
      if (here !== schema) this.spend(here.to - here.from);
      seen.add(here);
      annotations.push(here);
      const target = this.document.reference(here);
      if (target === null || target.kind === "lost") {
        return { ...plain, ...described(new Map()), kind: "json", reason: target?.reason ?? "missingRef", type: undefined };
      }
      name = (stringMember(here, "$ref") ?? "").split("/").at(-1) ?? "";
      here = target.node;
    }
    if (!this.done.has(here)) this.compile(here, depth + 1);
    const own: Keywords = new Map();
    for (const layer of annotations) {
      if (layer.kind === "object") for (const entry of layer.members) if (!own.has(entry.key)) own.set(entry.key, entry.value);
    }
    return { ...this.pointer(here, name), ...described(own) };
  }

  private pointer(schema: JsonNode, name: string): Field {
    const target = (): Field => this.done.get(schema) ?? { ...plain, kind: "json", reason: "loop", type: undefined };
    return { ...plain, kind: "ref", name, target };
  }

  private place(schema: JsonNode, depth: number): Field {
    const flat = flatten(schema, this.document, this.spend);
    if (flat.kind === "never") return { ...plain, kind: "never" };
    if (flat.kind === "json") return { ...plain, ...described(schemaKeywords(schema)), kind: "json", reason: flat.reason, type: undefined };
    return this.build(flat.keywords, depth);
  }

  private build(keywords: Keywords, depth: number): Field {
    const about = described(keywords);
    const constant = keywords.get("const");
    if (constant !== undefined) return { ...about, kind: "enum", options: [{ value: constant, label: undefined, description: undefined }] };
    const values = keywords.get("enum");
    if (values !== undefined) return enumField(about, values, keywords);
    if (keywords.has("oneOf") || keywords.has("anyOf")) return this.alternatives(keywords, depth);
    return this.typed(keywords, depth);
  }

  private typed(keywords: Keywords, depth: number): Field {
    const about = described(keywords);
    const named = list(keywords.get("type")).flatMap((node) => (node.kind === "string" && TYPES.has(node.value) ? [node.value] : []));
    const nullable = about.nullable || (named.length > 1 && named.includes("null"));
    const types = named.length > 1 ? named.filter((type) => type !== "null") : named;
    if (types.length > 1) {
      const choices: Choice[] = [...new Set(types.includes("number") ? types.filter((type) => type !== "integer") : types)].map((type) => ({
        branch: undefined,
        label: undefined,
        field: this.ofType(
          type,
          new Map([...keywords].filter(([key]) => key !== "title" && key !== "description" && key !== "default")),
          depth + 1,
        ),
      }));
      const [only] = choices;
      if (choices.length === 1 && only !== undefined) return { ...only.field, ...about, nullable };
      return { ...about, nullable, kind: "choice", choices };
    }
    const type =
      types[0] ??
      HINTS.find(([, keys]) =>
        keys.some((key) => keywords.has(key) && !(key === "required" && keywords.get(key)?.kind === "boolean")),
      )?.[0];
    if (type === undefined) return { ...about, kind: "json", reason: keywords.has("type") ? "malformed" : "any", type: undefined };
    return { ...this.ofType(type, keywords, depth), nullable };
  }

  private ofType(type: string, keywords: Keywords, depth: number): Field {
    const about = described(keywords);
    switch (type) {
      case "null":
        return { ...about, kind: "null" };
      case "boolean":
        return { ...about, kind: "boolean" };
      case "integer":
      case "number":
        return numberField(about, type === "integer", keywords);
      case "string":
        return stringField(about, keywords);
      case "array":
        return this.array(keywords, depth);
      default:
        return this.object(keywords, depth);
    }
  }

  private object(keywords: Keywords, depth: number): Field {
    const listed = keywords.get("properties");
    const required = list(keywords.get("required")).flatMap((node) => (node.kind === "string" ? [node.value] : []));
    const demanded = new Set(required);
    const names = new Set<string>();
    const properties: Property[] = [];
    for (const entry of listed?.kind === "object" ? listed.members : []) {
      if (names.has(entry.key)) continue;
      names.add(entry.key);
      properties.push({
        name: entry.key,
        required: demanded.has(entry.key) || isTrue(member(entry.value, "required")),
        field: this.compile(entry.value, depth + 1),
      });
    }
    // A required member has a field, even if the schema doesn't describe it.
    const others = required.filter((name) => !names.has(name));
    for (const name of new Set(others.slice(0, MOST_UNDESCRIBED))) properties.push({ name, required: true, field: undescribed });
    const rest = keywords.get("additionalProperties") ?? keywords.get("unevaluatedProperties");
    const further = rest === undefined ? undefined : this.compile(rest, depth + 1);
    const open = (further !== undefined && further.kind !== "never") || keywords.has("patternProperties");
    const any: Field = { ...plain, kind: "json", reason: "any", type: undefined };
    return {
      ...described(keywords),
      kind: "object",
      properties,
      additional: further?.kind === "never" && !open ? null : further === undefined || further.kind === "never" ? any : further,
      open,
      minProperties: count(keywords.get("minProperties")),
      maxProperties: count(keywords.get("maxProperties")),
      alsoRequired: others.slice(MOST_UNDESCRIBED),
    };
  }

  private array(keywords: Keywords, depth: number): Field {
    const items = keywords.get("items");
    // Before 2020-12 a tuple was a list under `items`.
    const tuple = keywords.get("prefixItems") ?? (items?.kind === "array" ? items : undefined);
    const rest = items?.kind === "array" ? keywords.get("additionalItems") : items;
    const any: Field = { ...plain, kind: "json", reason: "any", type: undefined };
    const each = rest === undefined ? any : this.compile(rest, depth + 1);
    return {
      ...described(keywords),
      kind: "array",
      prefix: tuple?.kind === "array" ? tuple.items.map((item) => this.compile(item, depth + 1)) : [],
      items: each.kind === "never" ? null : each,
      minItems: count(keywords.get("minItems")),
      maxItems: count(keywords.get("maxItems")),
      uniqueItems: isTrue(keywords.get("uniqueItems")),
    };
  }

  private alternatives(keywords: Keywords, depth: number): Field {
    const about = described(keywords);
    const rest = new Map(keywords);
    rest.delete("oneOf");
    rest.delete("anyOf");
    const first = keywords.get("oneOf") ?? keywords.get("anyOf");
    if (keywords.has("oneOf") && keywords.has("anyOf")) {
      const second = keywords.get("anyOf");
      if (!list(second).every(onlyDemands)) return { ...about, kind: "json", reason: "mixed", type: undefined };
      return this.alternatives(new Map([...keywords].filter(([key]) => key !== "anyOf")), depth);
    }
    // Alternatives that only require other members ("a or b is required") don't change the fields.
    if (list(first).every(onlyDemands)) {
      return this.typed(rest, depth);
    }
    const possible = list(first).filter((branch) => !allowsNothing(branch));
    const branches = possible.filter((branch) => !this.isNull(branch));
    const nullable = about.nullable || branches.length < possible.length;
    const labelled = branches.map((branch) => this.asOption(branch));
    if (branches.length > 1 && labelled.every((options) => options !== null)) {
      return { ...about, nullable, kind: "enum", options: labelled.flat() };
    }
    const [only] = branches;
    if (branches.length === 1 && only !== undefined && rest.size === annotationCount(rest)) {
      const field = this.compile(only, depth + 1);
      const own = Object.fromEntries(
        Object.entries(about).filter(([key, value]) => value !== undefined && key !== "nullable" && key !== "examples"),
      );
      return { ...field, ...own, nullable: nullable || field.nullable };
    }
    if (branches.length === 0) return nullable ? { ...about, kind: "null" } : { ...about, kind: "never" };
    const shared = new Map([...rest].filter(([key]) => !ABOUT.has(key)));
    const choices = branches.map((branch): Choice => ({
      branch: list(first).indexOf(branch),
      label: stringMember(branch, "title"),
      field: this.branch(branch, shared, depth + 1),
    }));
    return { ...about, nullable, kind: "choice", choices };
  }

  /** The target of a branch that is only references, or the branch itself if they lead nowhere. */
  private behind(branch: JsonNode): JsonNode {
    let here = branch;
    for (let step = 0; step < SCHEMA_LIMITS.depth && this.document.isBareReference(here); step += 1) {
      const target = this.document.reference(here);
      if (target?.kind !== "found") return branch;
      here = target.node;
    }
    return here;
  }

  private isNull(branch: JsonNode): boolean {
    return isNull(this.behind(branch));
  }

  /** The values of a branch, also behind a reference. Its own labels take precedence. */
  private asOption(branch: JsonNode): EnumOption[] | null {
    const options = asOption(this.behind(branch));
    const [only] = options ?? [];
    if (options?.length !== 1 || only === undefined) return options;
    return [
      { ...only, label: stringMember(branch, "title") ?? only.label, description: stringMember(branch, "description") ?? only.description },
    ];
  }

  private branch(branch: JsonNode, shared: Keywords, depth: number): Field {
    if (shared.size === 0) return this.compile(branch, depth);
    this.spend();
    if (depth > SCHEMA_LIMITS.depth) return { ...plain, kind: "json", reason: "deep", type: undefined };
    const flat = flatten(branch, this.document, this.spend);
    if (flat.kind === "never") return { ...plain, kind: "never" };
    if (flat.kind === "json") return { ...plain, kind: "json", reason: flat.reason, type: undefined };
    this.spend(weightOf(flat.keywords) + weightOf(shared));
    const merged = merge(flat.keywords, shared);
    if (merged === null) return { ...described(flat.keywords), kind: "json", reason: "conflict", type: undefined };
    return this.build(merged, depth);
  }
}
