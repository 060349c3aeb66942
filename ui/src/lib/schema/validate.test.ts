import { describe, expect, it } from "vitest";
import { compileSchema } from "./compile";
import { pathText, stringify, type JsonNode } from "./json";
import { concrete, type Field } from "./model";
import { parseJson } from "./parse";
import { guessChoice, validate } from "./validate";
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
/** The problems of a value, one per word. */
function problems(schema: unknown, text: string): string {
  return validate(root(schema), read(text), true)
    .map((problem) => `${pathText(problem.path)}:${problem.code}${problem.severity === "note" ? "~" : ""}`)
    .join(" ");
}
const of = (x: unknown, required: string[] = []) => ({ type: "object", properties: { x }, required });

describe("problems", () => {
  it.each([
    [of({ type: "string" }, ["x"]), "{}", "x:required"],
    [of({ type: "string" }), "{}", ""],
    [of({ type: "string" }, ["x"]), '{"x":null}', "x:required"],
    [of({ type: ["string", "null"] }, ["x"]), '{"x":null}', ""],
    [of({ type: "string" }, ["x"]), '{"x":""}', ""],
    [of({ type: "string" }), '{"x":5}', "x:wrongType"],
    [of({ type: "string", minLength: 2, maxLength: 3 }), '{"x":"😀"}', "x:minLength"],
    [of({ type: "string", minLength: 2, maxLength: 3 }), '{"x":"😀😀😀😀"}', "x:maxLength"],
    [of({ type: "string", pattern: "^a" }), '{"x":"ba"}', "x:pattern"],
    [of({ type: "string", pattern: "(?=x)" }), '{"x":"ba"}', ""],
    [of({ type: "string", format: "date" }), '{"x":"2023-02-29"}', "x:format"],
    [of({ type: "string", format: "date" }), '{"x":"2024-02-29"}', ""],
    [of({ type: "string", format: "date-time" }), '{"x":"2024-02-29T23:59:60.5+05:30"}', ""],
    [of({ type: "string", format: "date-time" }), '{"x":"2024-02-29 23:59"}', "x:format"],
    [of({ type: "string", format: "email" }), '{"x":"a@b"}', ""],
    [of({ type: "string", format: "email" }), '{"x":"a b@c"}', "x:format"],
    [of({ type: "string", format: "uri" }), '{"x":"example.com"}', "x:format"],
    [of({ type: "string", format: "uri" }), '{"x":"urn:a:b"}', ""],
    [of({ type: "string", format: "uuid" }), '{"x":"01890a5d-ac96-774b-bcce-b302099a8057"}', ""],
    [of({ type: "integer" }), '{"x":1.5}', "x:notInteger"],
    [of({ type: "integer" }), '{"x":1.0}', ""],
    [of({ type: "integer" }), '{"x":"12a"}', "x:notNumber"],
    [of({ type: "integer", minimum: 1, maximum: 10 }), '{"x":0}', "x:minimum"],
    [of({ type: "integer", minimum: 1, maximum: 10 }), '{"x":11}', "x:maximum"],
    [of({ type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 }), '{"x":1}', "x:exclusiveMaximum"],
    [of({ type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 }), '{"x":0}', "x:exclusiveMinimum"],
    [of({ type: "number", multipleOf: 0.1 }), '{"x":0.3}', ""],
    [of({ type: "number", multipleOf: 0.1 }), '{"x":0.35}', "x:multipleOf"],
    ['{"type":"object","properties":{"x":{"type":"integer","maximum":9007199254740993}}}', '{"x":9007199254740994}', "x:maximum"],
    ['{"type":"object","properties":{"x":{"type":"integer","maximum":9007199254740993}}}', '{"x":9007199254740993}', ""],
    [of({ enum: ["a", 1] }), '{"x":1.0}', ""],
    [of({ enum: ["a", 1] }), '{"x":"b"}', "x:enum"],
    [of({ type: "boolean" }), '{"x":"true"}', "x:wrongType"],
    [of(false), '{"x":1}', "x:never"],
    [of({ type: "array", items: { type: "integer" }, minItems: 2 }), '{"x":["a"]}', "x[0]:notNumber x:minItems"],
    [of({ type: "array", uniqueItems: true }), '{"x":[1,2,1.0]}', "x:uniqueItems"],
    [of({ type: "array", prefixItems: [{ type: "string" }], items: false }), '{"x":["a","b"]}', "x:maxItems"],
    [of({ type: "object", minProperties: 1 }), '{"x":{}}', "x:minProperties"],
    [of({ type: "object", additionalProperties: { type: "integer" } }), '{"x":{"a":"b"}}', "x.a:notNumber"],
    [{ type: "object", additionalProperties: false, required: ["q"] }, '{"y":1}', "q:required y:unknownProperty~"],
    [{ type: "object", properties: {} }, '{"y":1}', ""],
    [
      of({
        oneOf: [
          { type: "string", minLength: 3 },
          { type: "integer", minimum: 5 },
        ],
      }),
      '{"x":2}',
      "x:minimum",
    ],
    [of({ oneOf: [{ type: "string" }, { type: "integer" }] }), '{"x":true}', "x:wrongType"],
  ])("%j with %s: %s", (schema, text, expected) => {
    expect(problems(schema, text)).toBe(expected);
  });

  it("checks against the alternative a person chose", () => {
    const field = root(
      of({
        oneOf: [
          { type: "string", minLength: 3 },
          { type: "string", maxLength: 1 },
        ],
      }),
    );
    const found = (index: number) => validate(field, read('{"x":"ab"}'), true, () => index).map((problem) => problem.code);
    expect([found(0), found(1)]).toEqual([["minLength"], ["maxLength"]]);
  });

  it("ends on a schema that is an alternative of itself, twice over", () => {
    const schema = {
      ...of({ $ref: "#/$defs/A" }),
      $defs: { A: { anyOf: [{ $ref: "#/$defs/A" }, { $ref: "#/$defs/A" }, { type: "string" }] } },
    };
    const begun = performance.now();
    validate(root(schema), read('{"x":5}'), true);
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});

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
