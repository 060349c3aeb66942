/**
 * The model of a form: a tool's arguments, from its JSON Schema, or a server's question. A part that the form can't
 * show faithfully is a `json` field: edited as raw JSON, and never dropped.
 */
import type { JsonNode } from "./json";

/** Why a part (or the whole) is edited as JSON instead of fields. */
export type JsonReason =
  | "any" // the schema allows any value here
  | "undescribed" // required, and the schema does not say what it is
  | "remoteRef" // $ref to another document; nothing is ever fetched
  | "missingRef" // $ref to a place that is not in the schema
  | "loop" // definitions that only point at each other
  | "conflict" // allOf parts that cannot be one form
  | "mixed" // several alternatives at once
  | "malformed" // not a JSON Schema
  | "deep"; // nested beyond what a form can show

/** Why there is no form for the whole tool. */
export type NoFormReason = "absent" | "notJson" | "tooLarge" | "notObject" | Exclude<JsonReason, "undescribed">;

export interface Described {
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly defaultValue: JsonNode | undefined;
  readonly examples: readonly JsonNode[];
  readonly nullable: boolean;
  readonly deprecated: boolean;
  /** The original type name, if it isn't one of JSON Schema and was interpreted. */
  readonly typeName: string | undefined;
  /** Whether it is a secret or looks like one, so that typing is masked. */
  readonly secret?: boolean;
}

export type StringFormat = "date" | "date-time" | "time" | "email" | "uri" | "uuid" | "password" | "other";

export interface StringField extends Described {
  readonly kind: "string";
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  /** The original patterns. */
  readonly patterns: readonly string[];
  readonly format: StringFormat | undefined;
  /** The original format name, known or not. */
  readonly formatName: string | undefined;
}

export interface NumberField extends Described {
  readonly kind: "number";
  readonly integer: boolean;
  /** Bounds and step as source text, compared exactly. */
  readonly minimum: string | undefined;
  readonly maximum: string | undefined;
  readonly exclusiveMinimum: string | undefined;
  readonly exclusiveMaximum: string | undefined;
  readonly multipleOf: string | undefined;
}

export interface BooleanField extends Described {
  readonly kind: "boolean";
}

export interface NullField extends Described {
  readonly kind: "null";
}

export interface EnumOption {
  readonly value: JsonNode;
  /** The schema's title. Without one the value is the label. */
  readonly label: string | undefined;
  readonly description: string | undefined;
}

/** A choice from a list of values. `const` is a list of one. */
export interface EnumField extends Described {
  readonly kind: "enum";
  readonly options: readonly EnumOption[];
}

export interface Property {
  readonly name: string;
  readonly required: boolean;
  readonly field: Field;
}

export interface ObjectField extends Described {
  readonly kind: "object";
  readonly properties: readonly Property[];
  /** The field of additional members. `null` if none are allowed. */
  readonly additional: Field | null;
  /** Whether the schema mentions additional members (an open map), so that the form offers to add one. */
  readonly open: boolean;
  readonly minProperties: number | undefined;
  readonly maxProperties: number | undefined;
  /** Required names that aren't among the properties, after the number of those that get their own fields. */
  readonly alsoRequired: readonly string[];
}

export interface ArrayField extends Described {
  readonly kind: "array";
  /** The items of a tuple. */
  readonly prefix: readonly Field[];
  /** All further items. `null` if none are allowed. */
  readonly items: Field | null;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  readonly uniqueItems: boolean;
}

export interface Choice {
  /** The index of its schema in `oneOf` or `anyOf`. Undefined for a list of types. */
  readonly branch: number | undefined;
  readonly label: string | undefined;
  readonly field: Field;
}

/** `oneOf`, `anyOf`, or several types. */
export interface ChoiceField extends Described {
  readonly kind: "choice";
  readonly choices: readonly Choice[];
}

/** A reference to a definition. Resolved by `target`, because definitions may contain themselves. */
export interface RefField extends Described {
  readonly kind: "ref";
  readonly name: string;
  readonly target: () => Field;
}

export interface JsonField extends Described {
  readonly kind: "json";
  readonly reason: JsonReason;
  /** The type that the schema names, if it does. */
  readonly type: JsonNode["kind"] | undefined;
}

/** A place where the schema allows nothing (`false`). */
export interface NeverField extends Described {
  readonly kind: "never";
}

export type Field =
  | StringField
  | NumberField
  | BooleanField
  | NullField
  | EnumField
  | ObjectField
  | ArrayField
  | ChoiceField
  | RefField
  | JsonField
  | NeverField;

/** The root of a form: an object, or alternatives of objects. */
export type FormModel = { readonly kind: "form"; readonly root: Field } | { readonly kind: "none"; readonly reason: NoFormReason };

/** The field behind a chain of references. */
export function concrete(field: Field): Exclude<Field, RefField> {
  let here = field;
  while (here.kind === "ref") here = here.target();
  return here;
}
