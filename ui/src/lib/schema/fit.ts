/**
 * Finds which alternative of a form a value belongs to, by its type and content, ignoring limits. The host decides
 * whether it is valid (`check.ts`).
 */
import { isWhole } from "./decimal";
import { valueKey } from "./equal";
import { type JsonNode, type Path, pathKey } from "./json";
import { type ChoiceField, concrete, type EnumField, type Field } from "./model";

/** The most steps for a value, because nested alternatives multiply. */
const BUDGET = 20_000;
const MAX_DEPTH = 100;

interface Budget {
  left: number;
}

/** The best matching alternative, or the first if all match equally. */
export function guessChoice(field: ChoiceField, value: JsonNode | undefined): number {
  return value === undefined ? 0 : fitting(field, value, { left: BUDGET }, 0).index;
}

/** Whether the value belongs to the field, ignoring limits. */
export const fits = (field: Field, value: JsonNode): boolean => misfitOf(field, value, { left: BUDGET }, 0) === 0;

function fitting(field: ChoiceField, value: JsonNode, budget: Budget, depth: number): { index: number; misfit: number } {
  let best = { index: 0, misfit: Infinity };
  field.choices.forEach((choice, index) => {
    const misfit = misfitOf(choice.field, value, budget, depth + 1, 1_000);
    if (misfit < best.misfit) best = { index, misfit };
  });
  return best;
}

/** How badly a value matches. A wrong type counts most for the whole value, as `wrong`. */
function misfitOf(declared: Field, value: JsonNode, budget: Budget, depth: number, wrong = 40): number {
  budget.left -= 1;
  if (budget.left < 0 || depth > MAX_DEPTH) return 0;
  const field = concrete(declared);
  if (value.kind === "null" && (field.nullable || declared.nullable)) return 0;
  switch (field.kind) {
    case "string":
    case "boolean":
    case "null":
      return value.kind === field.kind ? 0 : wrong;
    case "number":
      // A text in a number field is an unfinished number.
      if (value.kind === "string") return 10;
      if (value.kind !== "number") return wrong;
      return field.integer && !isWhole(value.text) ? 10 : 0;
    case "enum":
      return allows(field, value) ? 0 : 60;
    case "never":
      return wrong;
    case "json":
      return field.type === undefined || field.type === value.kind ? 0 : wrong;
    case "choice":
      return fitting(field, value, budget, depth).misfit;
    case "array":
      if (value.kind !== "array") return wrong;
      return value.items.reduce((sum, item, index) => {
        const each = field.prefix[index] ?? field.items;
        return each === null ? sum : sum + misfitOf(each, item, budget, depth + 1);
      }, 0);
    case "object": {
      if (value.kind !== "object") return wrong;
      const members = new Map(value.members.map((entry) => [entry.key, entry.value]));
      let sum = 0;
      for (const property of field.properties) {
        const member = members.get(property.name);
        if (member !== undefined) sum += misfitOf(property.field, member, budget, depth + 1);
        else if (property.required) sum += 10;
        members.delete(property.name);
      }
      for (const member of members.values()) sum += field.additional === null ? 5 : misfitOf(field.additional, member, budget, depth + 1);
      return sum;
    }
  }
}

const listed = new WeakMap<EnumField["options"], ReadonlySet<string>>();

/** Whether the value is in the list, however long it is. */
function allows(field: EnumField, value: JsonNode): boolean {
  let keys = listed.get(field.options);
  if (keys === undefined) {
    keys = new Set(field.options.map((option) => valueKey(option.value)));
    listed.set(field.options, keys);
  }
  return keys.has(valueKey(value));
}

/** A current alternative somewhere in a value. */
export interface InForce {
  readonly path: Path;
  readonly value: JsonNode;
  readonly field: Field;
  /** The index of its schema in `oneOf` or `anyOf`. */
  readonly branch: number | undefined;
}

/** The current alternatives in a value: the chosen one by path, or the best match. */
export function choicesInForce(root: Field, value: JsonNode, chosen: ReadonlyMap<string, number>): InForce[] {
  const found: InForce[] = [];
  const budget = { left: BUDGET };
  const walk = (declared: Field, node: JsonNode, path: Path): void => {
    budget.left -= 1;
    if (budget.left < 0 || path.length > MAX_DEPTH) return;
    const field = concrete(declared);
    if (field.kind === "choice") {
      const choice = field.choices[chosen.get(pathKey(path)) ?? fitting(field, node, budget, 0).index];
      if (choice === undefined) return;
      found.push({ path, value: node, field: choice.field, branch: choice.branch });
      // The choice at this path is the outer one. For an inner one there is only a guess.
      if (concrete(choice.field).kind !== "choice") walk(choice.field, node, path);
    } else if (field.kind === "object" && node.kind === "object") {
      const fields = new Map(field.properties.map((property) => [property.name, property.field]));
      for (const { key, value: member } of node.members) {
        const inner = fields.get(key) ?? field.additional;
        if (inner !== null) walk(inner, member, [...path, key]);
      }
    } else if (field.kind === "array" && node.kind === "array") {
      node.items.forEach((item, index) => {
        const inner = field.prefix[index] ?? field.items;
        if (inner !== null) walk(inner, item, [...path, index]);
      });
    }
  };
  walk(root, value, []);
  return found;
}
