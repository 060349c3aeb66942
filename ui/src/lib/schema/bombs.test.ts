// Schemas that would need far more than their size: they must finish quickly, as a form or as JSON.
import { describe, expect, it } from "vitest";
import { compileSchema, SCHEMA_LIMITS } from "./compile";
import { jsonArray, jsonString, stringify } from "./json";
import { concrete, type Field, type FormModel } from "./model";
import { guessChoice } from "./fit";
import { initialValue } from "./value";

function compiled(schema: unknown): FormModel {
  const text = JSON.stringify(schema);
  expect(text.length).toBeLessThanOrEqual(SCHEMA_LIMITS.bytes);
  return compileSchema(text);
}
function field(schema: unknown): Field {
  const model = compiled({ type: "object", properties: { x: schema } });
  const root = model.kind === "form" ? concrete(model.root) : null;
  const found = root?.kind === "object" ? root.properties[0]?.field : undefined;
  if (found === undefined) throw new Error("no field");
  return found;
}
const many = <T>(length: number, make: (index: number) => T): T[] => Array.from({ length }, (_, index) => make(index));

describe("a schema larger than it looks", () => {
  it("reads a list of 25,000 and finds which of two a value is of", () => {
    const of = (values: unknown[]) => ({ type: "array", items: { enum: values } });
    const lists = concrete(field({ anyOf: [of(many(25_000, (index) => index)), of(many(9_000, (index) => `n${index}`))] }));
    if (lists.kind !== "choice") throw new Error("not read");
    expect(guessChoice(lists, jsonArray(many(5_000, (index) => jsonString(`n${index}`))))).toBe(1);
  });

  it.each([
    [
      "references to one long list of names",
      { allOf: many(4_000, () => ({ $ref: "#/$defs/a" })), $defs: { a: { required: many(12_000, (index) => `n${index}`) } } },
    ],
    [
      "alternatives that all share a long list of names",
      { required: many(12_000, (index) => `n${index}`), oneOf: many(4_000, () => ({ type: "object", title: "a" })) },
    ],
    [
      "references that go through a long chain",
      {
        properties: Object.fromEntries(many(2_500, (index) => [`p${index}`, { $ref: "#/$defs/d0" }])),
        $defs: Object.fromEntries(many(2_500, (index) => [`d${index}`, index === 2_499 ? {} : { $ref: `#/$defs/d${index + 1}` }])),
      },
    ],
  ])("gives up on %s", (_, schema) => {
    expect(compiled({ type: "object", ...schema })).toEqual({ kind: "none", reason: "tooLarge" });
  });

  it("begins with a value of bounded size although its required parts hold each other tenfold", () => {
    const names = many(10, (index) => `n${index}`);
    const text = stringify(
      initialValue(
        field({
          $ref: "#/properties/x/$defs/A",
          $defs: {
            A: {
              type: "object",
              required: names,
              properties: Object.fromEntries(names.map((name) => [name, { $ref: "#/properties/x/$defs/A" }])),
            },
          },
        }),
      ) ?? jsonArray([]),
    );
    expect(text.length).toBeGreaterThan(1_000);
    expect(text.length).toBeLessThan(100_000);
  });
});
