import { describe, expect, it } from "vitest";
import { compileSchema } from "./compile";
import { guessChoice } from "./fit";
import { stringify, type JsonNode } from "./json";
import { concrete, type Field } from "./model";
import { parseJson } from "./parse";
import { initialValue, shownFields } from "./value";

function root(schema: unknown): Field {
  const model = compileSchema(typeof schema === "string" ? schema : JSON.stringify(schema));
  if (model.kind === "none") throw new Error(model.reason);
  return model.root;
}
function read(text: string): JsonNode {
  const parsed = parseJson(text);
  if (!parsed.ok) throw new Error(parsed.error.code);
  return parsed.node;
}
const of = (x: unknown, required: string[] = []) => ({ type: "object", properties: { x }, required });

describe("alternatives", () => {
  const field = concrete(
    root({
      oneOf: [
        { type: "object", properties: { kind: { const: "circle" }, r: { type: "number" } }, required: ["kind", "r"] },
        {
          type: "object",
          properties: { kind: { const: "box" }, w: { type: "number" } },
          required: ["kind", "w"],
          additionalProperties: false,
        },
      ],
    }),
  );
  it.each([
    ['{"kind":"box"}', 1],
    ['{"kind":"circle","w":1}', 0],
    ['{"w":2}', 1],
    ["{}", 0],
  ])("%s is alternative %i", (text, expected) => {
    expect(field.kind === "choice" && guessChoice(field, read(text))).toBe(expected);
  });
});

describe("first values", () => {
  const first = (schema: unknown) => {
    const value = initialValue(root(schema));
    return value === undefined ? "nothing" : stringify(value);
  };
  it.each([
    [of({ type: "string", default: "a" }), "{}"],
    [of({ type: "string", default: "a" }, ["x"]), '{"x":"a"}'],
    [of({ type: "string" }, ["x"]), "{}"],
    [of({ const: 7 }, ["x"]), '{"x":7}'],
    [of({ type: "object", properties: { y: { const: 1 } }, required: ["y"] }, ["x"]), '{"x":{"y":1}}'],
    [of({ type: "array" }, ["x"]), '{"x":[]}'],
    [of({ type: "array", prefixItems: [{ type: "string" }, { type: "integer" }] }, ["x"]), '{"x":["",null]}'],
    [of({ oneOf: [{ type: "object", properties: { k: { const: "a" } }, required: ["k"] }] }, ["x"]), '{"x":{"k":"a"}}'],
    [
      { ...of({ $ref: "#/$defs/N" }, ["x"]), $defs: { N: { type: "object", required: ["n"], properties: { n: { $ref: "#/$defs/N" } } } } },
      `{"x":${'{"n":'.repeat(7)}{}${"}".repeat(8)}`,
    ],
  ])("%j begins as %s", (schema, expected) => {
    expect(first(schema)).toBe(expected);
  });

  it("counts what would be on screen, up to a limit", () => {
    expect(shownFields(root(of({ type: "object", properties: { a: {}, b: {} } })), 100)).toBe(4);
    const wide = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `d${index}`,
        { type: "object", properties: { a: { $ref: `#/$defs/d${index + 1}` }, b: { $ref: `#/$defs/d${index + 1}` } } },
      ]),
    );
    expect(shownFields(root({ ...of({ $ref: "#/$defs/d0" }), $defs: { ...wide, d40: {} } }), 500)).toBe(500);
  });
});
