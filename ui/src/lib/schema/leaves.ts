/** The leaf parts of the form's model: descriptions, numbers, text, lists of values. */
import { valueKey } from "./equal";
import { member, stringMember, type JsonNode } from "./json";
import { isTrue, list, TYPE_NAME, type Keywords } from "./keywords";
import type { Described, EnumOption, Field, StringFormat } from "./model";
import { namesNull } from "./spelling";

/** A value without a description. */
export const plain = {
  title: undefined,
  description: undefined,
  defaultValue: undefined,
  examples: [],
  nullable: false,
  deprecated: false,
  typeName: undefined,
};
/** Keywords that describe a value without limiting it. */
export const ABOUT = new Set(["title", "description", "default", "examples", "example", "deprecated", "nullable", TYPE_NAME]);

/** How many of the keywords are only descriptions. */
export function annotationCount(keywords: Keywords): number {
  return [...keywords.keys()].filter((key) => ABOUT.has(key) || key === "discriminator").length;
}

/** A schema's own keywords, without references or merging. */
export function schemaKeywords(schema: JsonNode): Keywords {
  return new Map(schema.kind === "object" ? schema.members.map((entry) => [entry.key, entry.value]) : []);
}

/** A schema's descriptions and examples of a value. */
export function described(keywords: Keywords): Described {
  const text = (key: string) => {
    const node = keywords.get(key);
    return node?.kind === "string" && node.value !== "" ? node.value : undefined;
  };
  const example = keywords.get("example");
  const examples = keywords.get("examples");
  return {
    title: text("title"),
    description: text("description"),
    defaultValue: keywords.get("default"),
    examples: examples?.kind === "array" ? examples.items : example === undefined ? [] : [example],
    nullable: isTrue(keywords.get("nullable")),
    deprecated: isTrue(keywords.get("deprecated")),
    typeName: text(TYPE_NAME),
  };
}

/** Labels for an enum, in the order of its values or by value: common but non-standard. Elicitation supports them. */
const NAMES = [
  "enumNames",
  "enumTitles",
  "enum_titles",
  "enumLabels",
  "x-enumNames",
  "x-enum-names",
  "x-enum-varnames",
  "x-enumLabels",
  "x-enum-labels",
  "enumDescriptions",
  "x-enum-descriptions",
];
const BY_VALUE = ["meta:enum", "x-enum-map", "x-enumDescriptions"];

/** The values of an enum without duplicates, with their labels and descriptions. */
function enumOptions(values: JsonNode, keywords: Keywords): EnumOption[] {
  const all = list(values);
  const options = keywords.get("options");
  const beside = [...NAMES.map((key) => keywords.get(key)), options === undefined ? undefined : member(options, "enum_titles")];
  const names = list(beside.find((node) => node !== undefined && list(node).length === all.length));
  const titles = BY_VALUE.flatMap((key) => keywords.get(key) ?? []);
  const ofAzure = azureOptions(keywords.get("x-ms-enum"));
  const seen = new Set<string>();
  return all.flatMap((value, index): EnumOption[] => {
    const key = valueKey(value);
    if (seen.has(key)) return [];
    seen.add(key);
    const title = titles.map((node) => member(node, value.kind === "string" ? value.value : key)).find((node) => node !== undefined);
    const name = names[index] ?? title;
    const azure = ofAzure.get(key);
    return [{ value, label: name?.kind === "string" ? name.value : azure?.label, description: azure?.description }];
  });
}

/** `x-ms-enum` of Azure's API descriptions: a name and a description for each value. */
function azureOptions(node: JsonNode | undefined): ReadonlyMap<string, Omit<EnumOption, "value">> {
  const values = node === undefined ? undefined : member(node, "values");
  if (values?.kind !== "array") return new Map();
  return new Map(
    values.items.flatMap((each) => {
      const value = member(each, "value");
      return value === undefined
        ? []
        : [[valueKey(value), { label: stringMember(each, "name"), description: stringMember(each, "description") }] as const];
    }),
  );
}

/** A field with a list of values. A `null` among them makes the field nullable. */
export function enumField(about: Described, values: JsonNode, keywords: Keywords): Field {
  const all = enumOptions(values, keywords);
  const options = list(values).length > 1 ? all.filter(({ value }) => value.kind !== "null") : all;
  if (options.length === 0) return { ...about, kind: "never" };
  return { ...about, nullable: about.nullable || options.length < all.length, kind: "enum", options };
}

/** A branch with fixed values: `{const, title}` or `{enum}`. */
export function asOption(branch: JsonNode): EnumOption[] | null {
  const about = { label: stringMember(branch, "title"), description: stringMember(branch, "description") };
  const constant = member(branch, "const");
  if (constant !== undefined) return [{ value: constant, ...about }];
  const values = member(branch, "enum");
  if (values?.kind !== "array" || values.items.length === 0) return null;
  if (values.items.length === 1 && values.items[0] !== undefined) return [{ value: values.items[0], ...about }];
  return enumOptions(values, schemaKeywords(branch));
}

/** A branch that allows only null. */
export function isNull(branch: JsonNode): boolean {
  const type = member(branch, "type");
  if (type?.kind === "string" && namesNull(type.value)) return true;
  const values = member(branch, "enum");
  if (values?.kind === "array" && values.items.length > 0 && values.items.every((value) => value.kind === "null")) return true;
  return member(branch, "const")?.kind === "null";
}

/** `{required: […]}` and nothing else. */
export function onlyDemands(branch: JsonNode): boolean {
  return (
    branch.kind === "object" &&
    branch.members.length > 0 &&
    branch.members.every((entry) => entry.key === "required" || entry.key === "not")
  );
}

/** A non-negative whole number. */
export function count(node: JsonNode | undefined): number | undefined {
  if (node?.kind !== "number") return undefined;
  const value = Number(node.text);
  return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** A number field with its original bounds. */
export function numberField(about: Described, integer: boolean, keywords: Keywords): Field {
  const text = (key: string) => {
    const node = keywords.get(key);
    return node?.kind === "number" ? node.text : undefined;
  };
  // Draft 4 has `exclusiveMinimum: true` next to `minimum`.
  const below = isTrue(keywords.get("exclusiveMaximum"));
  const above = isTrue(keywords.get("exclusiveMinimum"));
  return {
    ...about,
    kind: "number",
    integer,
    minimum: above ? undefined : text("minimum"),
    maximum: below ? undefined : text("maximum"),
    exclusiveMinimum: above ? text("minimum") : text("exclusiveMinimum"),
    exclusiveMaximum: below ? text("maximum") : text("exclusiveMaximum"),
    multipleOf: text("multipleOf"),
  };
}

const FORMATS: ReadonlyMap<string, StringFormat> = new Map([
  ["date", "date"],
  ["date-time", "date-time"],
  ["time", "time"],
  ["email", "email"],
  ["uri", "uri"],
  ["url", "uri"],
  ["uuid", "uuid"],
  ["password", "password"],
]);

/** A text field with its limits. */
export function stringField(about: Described, keywords: Keywords): Field {
  const format = keywords.get("format");
  const formatName = format?.kind === "string" ? format.value : undefined;
  return {
    ...about,
    kind: "string",
    minLength: count(keywords.get("minLength")),
    maxLength: count(keywords.get("maxLength")),
    patterns: list(keywords.get("pattern")).flatMap((node) => (node.kind === "string" ? [node.value] : [])),
    format: formatName === undefined ? undefined : (FORMATS.get(formatName) ?? "other"),
    formatName,
    secret: formatName === "password",
  };
}
