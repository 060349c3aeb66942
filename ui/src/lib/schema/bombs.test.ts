// Schemas that ask for far more than their size: they must end quickly, as a form or as JSON.
import { describe, expect, it } from "vitest";
import { compileSchema, SCHEMA_LIMITS } from "./compile";
import { jsonArray, jsonNumber, stringify } from "./json";
import { concrete, type Field, type FormModel } from "./model";
import { validate } from "./validate";
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
  it("keeps 4,900 patterns of 3,900 states each and checks the first few", () => {
    const model = compiled({
      type: "object",
      properties: Object.fromEntries(many(4_900, (index) => [`p${index}`, { pattern: `${index}(?:.?){1950}` }])),
    });
    const root = model.kind === "form" ? concrete(model.root) : null;
    const patterns =
      root?.kind === "object"
        ? root.properties.flatMap((property) => (property.field.kind === "string" ? property.field.patterns : []))
        : [];
    expect(patterns).toHaveLength(4_900);
    expect(patterns.filter((pattern) => pattern.test !== null)).toHaveLength(5);
  });

  it("finds a value in a list of 25,000", () => {
    const list = field({ enum: many(25_000, (index) => index) });
    const values = jsonArray(many(15_000, (index) => jsonNumber(`${24_000 + (index % 1_001)}.0`)));
    const each = concrete(field({ type: "array" }));
    if (list.kind !== "enum" || each.kind !== "array") throw new Error("not read");
    expect(list.options).toHaveLength(25_000);
    expect(validate({ ...each, items: list }, values, true).map((problem) => problem.path[0])).toEqual(
      many(15_000, (index) => index).filter((index) => index % 1_001 === 1_000),
    );
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

  it("names a bounded number of missing members", () => {
    const item = concrete(field({ type: "object", required: many(20_000, (index) => `n${index}`) }));
    const each = concrete(field({ type: "array" }));
    if (each.kind !== "array") throw new Error("not read");
    const value = jsonArray(many(15_000, () => ({ kind: "object", members: [], from: -1, to: -1 })));
    expect(validate({ ...each, items: item }, value, true).length).toBeLessThanOrEqual(20_000);
  });
});
