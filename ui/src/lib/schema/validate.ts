/** Checks a value against the form's model. What is found is advice: the server has the last word. */
import { compareDecimals, isMultiple, isWhole } from "./decimal";
import { sameJson, valueKey } from "./equal";
import { hasFormat } from "./formats";
import type { JsonNode, Path } from "./json";
import {
  concrete,
  type ArrayField,
  type ChoiceField,
  type EnumField,
  type Field,
  type NumberField,
  type ObjectField,
  type StringField,
} from "./model";
import { newSteps, type Steps } from "./pattern";

export type ProblemCode =
  | "required"
  | "wrongType"
  | "notNumber"
  | "notInteger"
  | "minimum"
  | "maximum"
  | "exclusiveMinimum"
  | "exclusiveMaximum"
  | "multipleOf"
  | "minLength"
  | "maxLength"
  | "pattern"
  | "format"
  | "enum"
  | "minItems"
  | "maxItems"
  | "uniqueItems"
  | "minProperties"
  | "maxProperties"
  | "unknownProperty"
  | "never"
  | "invalidJson";

export interface Problem {
  readonly path: Path;
  readonly code: ProblemCode;
  /** What the message names: a limit, a type, a pattern. */
  readonly values: Readonly<Record<string, string | number>>;
  /** A note does not keep the value from fitting the schema as the form reads it. */
  readonly severity: "error" | "note";
}

/** The alternative a person chose, by path key. */
export type Chosen = (path: Path, field: ChoiceField) => number | undefined;

/** The most checks made for one value: alternatives within alternatives multiply. */
const BUDGET = 20_000;
const MAX_DEPTH = 100;

interface Budget {
  left: number;
  /** For patterns. */
  readonly steps: Steps;
}

interface Check {
  /** Shared with the checks of alternatives inside, so that the whole stays bounded. */
  readonly budget: Budget;
  readonly problems: Problem[];
  readonly chosen: Chosen;
}

const newBudget = (): Budget => ({ left: BUDGET, steps: newSteps() });

/** Everything that does not fit; empty when the value does. `undefined` is a value left out. */
export function validate(field: Field, value: JsonNode | undefined, required: boolean, chosen: Chosen = () => undefined): Problem[] {
  const check: Check = { budget: newBudget(), problems: [], chosen };
  visit(field, value, required, [], check, 0);
  return check.problems;
}

/** The alternative that fits the value best; the first when nothing tells. */
export function guessChoice(field: ChoiceField, value: JsonNode | undefined): number {
  return value === undefined ? 0 : fitting(field, value, newBudget(), 0);
}

function fitting(field: ChoiceField, value: JsonNode, budget: Budget, depth: number): number {
  let best = 0;
  let least = Infinity;
  field.choices.forEach((choice, index) => {
    const check: Check = { budget, problems: [], chosen: () => undefined };
    visit(choice.field, value, true, [], check, depth + 1);
    const cost = check.problems.reduce((sum, problem) => sum + weight(problem), 0);
    if (cost < least) [best, least] = [index, cost];
  });
  return best;
}

/** A wrong type or a wrong fixed value says more about the alternative than a limit passed. */
function weight(problem: Problem): number {
  if (problem.code === "wrongType" || problem.code === "never") return problem.path.length === 0 ? 1_000 : 40;
  if (problem.code === "enum") return 60;
  if (problem.code === "unknownProperty") return 5;
  return 10;
}

function visit(declared: Field, value: JsonNode | undefined, required: boolean, path: Path, check: Check, depth: number): void {
  check.budget.left -= 1;
  if (check.budget.left < 0 || depth > MAX_DEPTH) return;
  const field = concrete(declared);
  const report = (code: ProblemCode, values: Problem["values"] = {}, severity: Problem["severity"] = "error") => {
    check.problems.push({ path, code, values, severity });
  };
  if (value === undefined) {
    if (required) report("required");
    return;
  }
  if (value.kind === "null") {
    const allowed =
      field.nullable ||
      declared.nullable ||
      field.kind === "null" ||
      (field.kind === "json" && (field.type === undefined || field.type === "null"));
    const named = field.kind === "enum" && allows(field, value);
    if (field.kind === "choice") check.budget.left -= field.choices.length;
    const chosen = field.kind === "choice" && field.choices.some((choice) => concrete(choice.field).nullable);
    if (!allowed && !named && !chosen) report("required");
    return;
  }
  switch (field.kind) {
    case "string":
      return text(field, value, check, report);
    case "number":
      return number(field, value, report);
    case "boolean":
      if (value.kind !== "boolean") report("wrongType", { expected: "boolean" });
      return;
    case "null":
      report("wrongType", { expected: "null" });
      return;
    case "enum":
      if (!allows(field, value)) report("enum");
      return;
    case "never":
      report("never");
      return;
    case "json":
      if (field.type !== undefined && field.type !== value.kind) report("wrongType", { expected: field.type });
      return;
    case "object":
      return object(field, value, path, check, depth, report);
    case "array":
      return array(field, value, path, check, depth, report);
    case "choice":
      return choice(field, value, path, check, depth);
  }
}

const listed = new WeakMap<EnumField["options"], ReadonlySet<string>>();

/** Whether the value is one of the list, however long the list is. */
function allows(field: EnumField, value: JsonNode): boolean {
  let keys = listed.get(field.options);
  if (keys === undefined) {
    keys = new Set(field.options.map((option) => valueKey(option.value)));
    listed.set(field.options, keys);
  }
  return keys.has(valueKey(value));
}

type Report = (code: ProblemCode, values?: Problem["values"], severity?: Problem["severity"]) => void;

function text(field: StringField, value: JsonNode, check: Check, report: Report): void {
  if (value.kind !== "string") return report("wrongType", { expected: "string" });
  const length = field.minLength === undefined && field.maxLength === undefined ? 0 : Array.from(value.value).length;
  if (field.minLength !== undefined && length < field.minLength) report("minLength", { limit: field.minLength, count: field.minLength });
  if (field.maxLength !== undefined && length > field.maxLength) report("maxLength", { limit: field.maxLength, count: field.maxLength });
  for (const pattern of field.patterns) {
    if (pattern.test !== null && !pattern.test(value.value, check.budget.steps)) report("pattern", { pattern: pattern.source });
  }
  if (field.format !== undefined && !hasFormat(value.value, field.format)) report("format", { format: field.format });
}

function number(field: NumberField, value: JsonNode, report: Report): void {
  if (value.kind === "string") return report("notNumber");
  if (value.kind !== "number") return report("wrongType", { expected: field.integer ? "integer" : "number" });
  if (field.integer && !isWhole(value.text)) report("notInteger");
  const against = (limit: string | undefined, bad: (order: number) => boolean, code: ProblemCode) => {
    if (limit === undefined) return;
    const order = compareDecimals(value.text, limit);
    if (order !== null && bad(order)) report(code, { limit });
  };
  against(field.minimum, (order) => order < 0, "minimum");
  against(field.maximum, (order) => order > 0, "maximum");
  against(field.exclusiveMinimum, (order) => order <= 0, "exclusiveMinimum");
  against(field.exclusiveMaximum, (order) => order >= 0, "exclusiveMaximum");
  if (field.multipleOf !== undefined && isMultiple(value.text, field.multipleOf) === false)
    report("multipleOf", { limit: field.multipleOf });
}

function object(field: ObjectField, value: JsonNode, path: Path, check: Check, depth: number, report: Report): void {
  if (value.kind !== "object") return report("wrongType", { expected: "object" });
  const members = new Map(value.members.map((entry) => [entry.key, entry.value]));
  const known = new Set<string>();
  for (const property of field.properties) {
    known.add(property.name);
    visit(property.field, members.get(property.name), property.required, [...path, property.name], check, depth + 1);
  }
  for (const name of field.alsoRequired) {
    check.budget.left -= 1;
    if (check.budget.left < 0) break;
    if (!members.has(name)) check.problems.push({ path: [...path, name], code: "required", values: {}, severity: "error" });
  }
  for (const [name, extra] of members) {
    if (known.has(name)) continue;
    if (field.additional === null)
      check.problems.push({ path: [...path, name], code: "unknownProperty", values: { name }, severity: "note" });
    else visit(field.additional, extra, true, [...path, name], check, depth + 1);
  }
  if (field.minProperties !== undefined && members.size < field.minProperties)
    report("minProperties", { limit: field.minProperties, count: field.minProperties });
  if (field.maxProperties !== undefined && members.size > field.maxProperties)
    report("maxProperties", { limit: field.maxProperties, count: field.maxProperties });
}

function array(field: ArrayField, value: JsonNode, path: Path, check: Check, depth: number, report: Report): void {
  if (value.kind !== "array") return report("wrongType", { expected: "array" });
  value.items.forEach((item, index) => {
    const each = field.prefix[index] ?? field.items;
    if (each !== null) visit(each, item, true, [...path, index], check, depth + 1);
  });
  const most = field.items === null ? Math.min(field.prefix.length, field.maxItems ?? Infinity) : field.maxItems;
  if (field.minItems !== undefined && value.items.length < field.minItems)
    report("minItems", { limit: field.minItems, count: field.minItems });
  if (most !== undefined && value.items.length > most) report("maxItems", { limit: most, count: most });
  if (field.uniqueItems && value.items.length <= 200) {
    const twice = value.items.findIndex((item, index) => value.items.slice(0, index).some((other) => sameJson(item, other)));
    if (twice >= 0) report("uniqueItems", { position: twice + 1 });
  }
}

function choice(field: ChoiceField, value: JsonNode, path: Path, check: Check, depth: number): void {
  const picked = check.chosen(path, field) ?? fitting(field, value, check.budget, depth);
  const best = field.choices[picked];
  if (best !== undefined) visit(best.field, value, true, path, check, depth + 1);
}
