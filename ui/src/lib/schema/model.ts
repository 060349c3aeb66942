/**
 * What a form needs to know about its values: a tool's arguments, read from its JSON Schema, or what a server asks
 * the person for. A part the form cannot show faithfully is a `json` field: edited as raw JSON, never dropped.
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
  /** The type as the schema names it, where JSON Schema has no such type and it was read as what it means. */
  readonly typeName: string | undefined;
  /** It is a secret, or looks like one: what is typed is covered. */
  readonly secret?: boolean;
}

export type StringFormat = "date" | "date-time" | "time" | "email" | "uri" | "uuid" | "password" | "other";

export interface StringField extends Described {
  readonly kind: "string";
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  /** As they are written. */
  readonly patterns: readonly string[];
  readonly format: StringFormat | undefined;
  /** The format as the schema names it, also when we do not know it. */
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
  /** A title from the schema; without one the value itself is the label. */
  readonly label: string | undefined;
  readonly description: string | undefined;
}

/** One of a list of values. `const` is a list of one. */
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
  /** What members beyond the named ones must be; `null` when none are allowed. */
  readonly additional: Field | null;
  /** Whether the schema speaks of further members (an open map), so that the form offers to add one. */
  readonly open: boolean;
  readonly minProperties: number | undefined;
  readonly maxProperties: number | undefined;
  /** Required names that are not among the properties: those beyond a number of which the form shows a field for each. */
  readonly alsoRequired: readonly string[];
}

export interface ArrayField extends Described {
  readonly kind: "array";
  /** Items with their own place (a tuple). */
  readonly prefix: readonly Field[];
  /** Every further item; `null` when none are allowed. */
  readonly items: Field | null;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  readonly uniqueItems: boolean;
}

export interface Choice {
  /** Which schema of its `oneOf` or `anyOf` it is; of a list of types it is none. */
  readonly branch: number | undefined;
  readonly label: string | undefined;
  readonly field: Field;
}

/** oneOf, anyOf, or several types. */
export interface ChoiceField extends Described {
  readonly kind: "choice";
  readonly choices: readonly Choice[];
}

/** Points at a definition; `target` is what it stands for (definitions may contain themselves). */
export interface RefField extends Described {
  readonly kind: "ref";
  readonly name: string;
  readonly target: () => Field;
}

export interface JsonField extends Described {
  readonly kind: "json";
  readonly reason: JsonReason;
  /** The type the schema names, where it names one. */
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

/** The field behind any chain of references. */
export function concrete(field: Field): Exclude<Field, RefField> {
  let here = field;
  while (here.kind === "ref") here = here.target();
  return here;
}
