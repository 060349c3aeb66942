import { describe, expect, it } from "vitest";
import { compileSchema } from "./compile";
import { stringify } from "./json";
import { concrete, type Field } from "./model";
import { parseJson } from "./parse";
import { guessChoice } from "./fit";

function root(schema: unknown): Field {
  const model = compileSchema(JSON.stringify(schema));
  if (model.kind === "none") throw new Error(model.reason);
  return model.root;
}
function property(schema: unknown): Field {
  const field = concrete(root({ type: "object", properties: { x: schema } }));
  const found = field.kind === "object" ? field.properties[0]?.field : undefined;
  if (found === undefined) throw new Error("no property");
  return found;
}
/** A field on one line, for comparing. */
function shape(declared: Field, depth = 0): string {
  const field = concrete(declared);
  const mark = field.nullable || declared.nullable ? "?" : "";
  if (depth > 5) return "…";
  switch (field.kind) {
    case "object": {
      const named = field.properties.map((entry) => `${entry.name}${entry.required ? "!" : ""}:${shape(entry.field, depth + 1)}`);
      const rest = field.additional === null ? "closed" : field.open ? `*:${shape(field.additional, depth + 1)}` : "";
      return `{${[...named, rest].filter((part) => part !== "").join(" ")}}${mark}`;
    }
    case "array":
      return `[${[...field.prefix.map((item) => shape(item, depth + 1)), field.items === null ? "closed" : `…${shape(field.items, depth + 1)}`].join(" ")}]${mark}`;
    case "choice":
      return `(${field.choices.map((choice) => (choice.label === undefined ? "" : `${choice.label}=`) + shape(choice.field, depth + 1)).join(" | ")})${mark}`;
    case "enum":
      return `<${field.options.map((option) => (option.label === undefined ? "" : `${option.label}=`) + stringify(option.value)).join(",")}>${mark}`;
    case "number":
      return (field.integer ? "integer" : "number") + mark;
    case "json":
      return `json(${field.reason})${mark}`;
    default:
      return field.kind + mark;
  }
}
const reason = (text: string | null) => {
  const model = compileSchema(text);
  return model.kind === "none" ? model.reason : "form";
};

describe("plain fields", () => {
  it.each([
    [{ type: "string" }, "string"],
    [{ type: "integer" }, "integer"],
    [{ type: ["string", "null"] }, "string?"],
    [{ type: "string", nullable: true }, "string?"],
    [{ type: "boolean" }, "boolean"],
    [{ type: "null" }, "null"],
    [{ const: 5 }, "<5>"],
    [{ enum: ["a", 1, null] }, '<"a",1>?'],
    [{ enum: [1, 1.0, 2] }, "<1,2>"],
    [{ enum: ["a", "b"], enumNames: ["Apple", "Bear"] }, '<Apple="a",Bear="b">'],
    [{ minLength: 2 }, "string"],
    [{ maximum: 2 }, "number"],
    [{ properties: { a: { type: "string" } } }, "{a:string}"],
    [true, "json(any)"],
    [{}, "json(any)"],
    [false, "never"],
    [{ type: "money" }, "json(malformed)"],
    [{ type: "int" }, "integer"],
    [{ type: "Float" }, "number"],
    [{ type: "String" }, "string"],
    [{ type: "bool" }, "boolean"],
    [{ type: "dict" }, "{}"],
    [{ type: "list" }, "[…json(any)]"],
    [{ type: "List[int]" }, "[…integer]"],
    [{ type: "Optional[str]" }, "string?"],
    [{ type: "str | int | None" }, "(string | integer)?"],
    [{ type: "any" }, "json(any)"],
    [[], "json(any)"],
    [{ type: "array", items: [] }, "[…json(any)]"],
    [{ required: true, type: "string" }, "string"],
    [{ type: "integer", enum: [1, 2], "x-enum-varnames": ["ONE", "TWO"] }, "<ONE=1,TWO=2>"],
    [{ enum: ["a", "b"], enumLabels: ["Apple", "Bear"] }, '<Apple="a",Bear="b">'],
    [{ enum: ["a", "b"], "meta:enum": { a: "Apple" } }, '<Apple="a","b">'],
    [
      {
        type: "string",
        enum: ["a", "b", "c"],
        "x-ms-enum": {
          name: "Kind",
          modelAsString: true,
          values: [
            { value: "b", name: "Bear" },
            { value: "a", name: "Apple", description: "Red" },
          ],
        },
      },
      '<Apple="a",Bear="b","c">',
    ],
    [{ type: "integer", enum: [1, 2], "x-ms-enum": { name: "Level", values: [{ value: 1, name: "Low" }, { name: "High" }] } }, "<Low=1,2>"],
    [{ enum: ["a", "b"], "x-ms-enum": { values: "none" } }, '<"a","b">'],
    [{ enum: ["a", null, "b"], options: { enum_titles: ["Apple", "Nothing", "Bear"] } }, '<Apple="a",Bear="b">?'],
    [{ enum: ["a", "b"], options: { enum_titles: ["Apple"] } }, '<"a","b">'],
    [{ enum: ["a", "b"], options: ["x", "y"] }, '<"a","b">'],
    [{ type: ["integer", "string"] }, "(integer | string)"],
    [{ type: ["integer", "number"] }, "number"],
    [{ type: "array" }, "[…json(any)]"],
    [{ type: "array", items: { type: "string" } }, "[…string]"],
    [{ type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], items: false }, "[string integer closed]"],
    [{ type: "array", items: [{ type: "string" }], additionalItems: { type: "boolean" } }, "[string …boolean]"],
    [{ type: "object", additionalProperties: { type: "integer" } }, "{*:integer}"],
    [{ type: "object", additionalProperties: false }, "{closed}"],
    [{ type: "object", additionalProperties: true }, "{*:json(any)}"],
    [{ type: "object", patternProperties: { "^x": { type: "string" } }, additionalProperties: false }, "{*:json(any)}"],
  ])("%j is %s", (schema, expected) => {
    expect(shape(property(schema))).toBe(expected);
  });

  it("keeps what helps to fill a field in", () => {
    const field = property({
      type: "integer",
      title: "Rows",
      description: "How many",
      minimum: 1,
      maximum: 9007199254740993,
      multipleOf: 0.5,
      default: 100,
      examples: [5],
      deprecated: true,
    });
    expect(field).toMatchObject({ title: "Rows", description: "How many", minimum: "1", multipleOf: "0.5", deprecated: true });
    expect(field.defaultValue && stringify(field.defaultValue)).toBe("100");
    expect(field.examples.map((example) => stringify(example))).toEqual(["5"]);
  });

  it("keeps big limits exactly as written", () => {
    const model = compileSchema('{"type":"object","properties":{"x":{"type":"integer","maximum":9007199254740993}}}');
    const field = model.kind === "form" ? concrete(model.root) : undefined;
    expect(field?.kind === "object" && field.properties[0]?.field).toMatchObject({ maximum: "9007199254740993" });
  });

  // Requirements: SCH-05.
  it("reads draft 4's exclusive bounds", () => {
    expect(property({ type: "number", minimum: 0, exclusiveMinimum: true })).toMatchObject({ minimum: undefined, exclusiveMinimum: "0" });
  });

  it("names formats it does not check", () => {
    expect(property({ type: "string", format: "ipv4" })).toMatchObject({ format: "other", formatName: "ipv4" });
  });

  it("says how a schema names a type that JSON Schema does not have", () => {
    expect(property({ type: "int" }).typeName).toBe("int");
    expect(property({ type: ["str", "null"] })).toMatchObject({ typeName: "str", nullable: true });
    expect(property({ type: ["string", "null"] }).typeName).toBeUndefined();
  });

  it("has a place for what is required and not described", () => {
    const schema = {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string", required: true } },
      required: ["a", "c", "c"],
      additionalProperties: false,
    };
    expect(shape(root(schema))).toBe("{a!:string b!:string c!:json(undescribed) closed}");
  });
});

describe("alternatives", () => {
  it.each([
    [
      {
        oneOf: [
          { const: "a", title: "Apple" },
          { const: "b", title: "Bear" },
        ],
      },
      '<Apple="a",Bear="b">',
    ],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, "string?"],
    [{ anyOf: [{ type: "string" }, { type: "integer" }, { type: "null" }] }, "(string | integer)?"],
    [{ anyOf: [{ enum: ["a", "b"] }, { type: "null" }] }, '<"a","b">?'],
    [
      {
        oneOf: [
          { title: "By id", type: "object", properties: { id: { type: "integer" } } },
          { title: "By name", type: "object", properties: { name: { type: "string" } } },
        ],
      },
      "(By id={id:integer} | By name={name:string})",
    ],
    [
      {
        type: "object",
        properties: { kind: { type: "string" } },
        required: ["kind"],
        oneOf: [{ properties: { a: { type: "string" } } }, { properties: { b: { type: "string" } }, required: ["b"] }],
      },
      "({a:string kind!:string} | {b!:string kind!:string})",
    ],
    [
      { type: "object", properties: { a: { type: "string" }, b: { type: "string" } }, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
      "{a:string b:string}",
    ],
    [{ oneOf: [{ type: "string" }], anyOf: [{ type: "string" }] }, "json(mixed)"],
    [{ anyOf: [{ type: "null" }] }, "null"],
    [{ anyOf: [{ not: {} }, { type: "string" }] }, "string"],
    [{ anyOf: [{ type: "string" }, { enum: [null] }] }, "string?"],
    [{ anyOf: [{ type: "str" }, { type: "NoneType" }] }, "string?"],
    [{ not: {} }, "never"],
    [
      {
        anyOf: [
          { enum: ["a", "b"], enumNames: ["Apple", "Bear"] },
          { const: "c", title: "Cat" },
        ],
      },
      '<Apple="a",Bear="b",Cat="c">',
    ],
  ])("%j is %s", (schema, expected) => {
    expect(shape(property(schema))).toBe(expected);
  });

  it("tells alternatives apart by what must not be there", () => {
    const schema = {
      oneOf: [
        { properties: { id: { type: "integer" }, name: { not: {} } } },
        { properties: { id: { not: {} }, name: { type: "string" } } },
      ],
    };
    const field = concrete(property(schema));
    const value = parseJson('{"name":"x"}');
    if (field.kind !== "choice" || !value.ok) throw new Error(shape(field));
    expect(guessChoice(field, value.node)).toBe(1);
    expect(field.choices.map((choice) => choice.branch)).toEqual([0, 1]);
  });

  it("keeps the outer title when only one alternative is left", () => {
    expect(
      property({ title: "Limit", default: null, anyOf: [{ type: "integer", title: "inner", description: "kept" }, { type: "null" }] }),
    ).toMatchObject({ kind: "number", title: "Limit", description: "kept", nullable: true });
  });
});

describe("alternatives of the whole", () => {
  const by = (name: string) => ({ type: "object", properties: { [name]: { type: "string" } }, required: [name] });
  it.each([
    [{ oneOf: [by("id"), { title: "By name", ...by("name") }] }, "({id!:string} | By name={name!:string})"],
    [{ anyOf: [{ $ref: "#/$defs/A" }, { $ref: "#/$defs/B" }], $defs: { A: by("id"), B: by("name") } }, "({id!:string} | {name!:string})"],
    [
      { type: "object", properties: { verbose: { type: "boolean" } }, oneOf: [{ $ref: "#/$defs/A" }, by("name")], $defs: { A: by("id") } },
      "({id!:string verbose:boolean} | {name!:string verbose:boolean})",
    ],
    [{ $ref: "#/definitions/Args", definitions: { Args: { oneOf: [by("id"), by("name")] } } }, "({id!:string} | {name!:string})"],
    [{ anyOf: [by("id"), { type: "array", items: by("id") }, by("name")] }, "({id!:string} | {name!:string})"],
    [{ anyOf: [{ type: "string" }, by("id")] }, "{id!:string}"],
    [{ anyOf: [by("id"), { anyOf: [by("name"), { type: "string" }] }] }, "({id!:string} | {name!:string})"],
    [{ anyOf: [by("id"), { type: "null" }] }, "{id!:string}?"],
    [{ type: ["object", "string"], properties: { a: { type: "string" } } }, "{a:string}"],
  ])("%j is %s", (schema, expected) => {
    expect(shape(root(schema))).toBe(expected);
  });

  it("are no form where none of them is an object", () => {
    expect(reason('{"anyOf":[{"type":"string"},{"type":"array"}]}')).toBe("notObject");
  });

  it("keep what is said of the whole where one is left", () => {
    expect(
      root({ title: "Search", description: "What to look for", anyOf: [{ type: "string" }, { title: "Query", ...by("q") }] }),
    ).toMatchObject({ kind: "object", title: "Search", description: "What to look for" });
  });
});

describe("references", () => {
  // Requirements: SCH-01.
  it("follows them inside the schema, in every place they are written", () => {
    const schema = {
      type: "object",
      properties: { a: { $ref: "#/$defs/A" }, b: { $ref: "#/definitions/B" }, c: { $ref: "#here" }, d: { $ref: "#/$defs/A%20b~1c" } },
      $defs: { A: { type: "string" }, "A b/c": { type: "boolean" }, C: { $anchor: "here", type: "null" } },
      definitions: { B: { type: "integer" } },
    };
    expect(shape(root(schema))).toBe("{a:string b:integer c:null d:boolean}");
  });

  it("lets titles beside a reference win, and adds rules beside it", () => {
    const schema = {
      type: "object",
      properties: { a: { $ref: "#/$defs/A", description: "mine" }, b: { $ref: "#/$defs/A", maxLength: 3 } },
      $defs: { A: { type: "string", description: "theirs", minLength: 1 } },
    };
    const field = concrete(root(schema));
    const [a, b] = field.kind === "object" ? field.properties : [];
    expect(a?.field).toMatchObject({ kind: "ref", name: "A", description: "mine" });
    expect(b?.field).toMatchObject({ kind: "string", minLength: 1, maxLength: 3, description: "theirs" });
  });

  it("shows a definition that contains itself", () => {
    const schema = {
      $ref: "#/$defs/Node",
      $defs: {
        Node: { type: "object", properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/Node" } } } },
      },
    };
    expect(shape(root(schema))).toBe("{name:string children:[…{name:string children:[…{name:string children:[……]}]}]}");
  });

  it("survives definitions that only point at each other", () => {
    expect(shape(property({ $ref: "#/properties/x" }))).toBe("json(loop)");
    expect(reason('{"$ref":"#"}')).toBe("loop");
    expect(shape(property({ allOf: [{ $ref: "#/properties/x" }] }))).toBe("json(loop)");
  });

  it("survives a definition that is an alternative of itself", () => {
    const schema = {
      type: "object",
      properties: { x: { $ref: "#/$defs/A" } },
      $defs: { A: { anyOf: [{ $ref: "#/$defs/A" }, { type: "string" }] } },
    };
    expect(compileSchema(JSON.stringify(schema)).kind).toBe("form");
  });

  it("finds null behind a reference, and schemas by an identifier of their own", () => {
    const schema = {
      type: "object",
      properties: {
        a: { anyOf: [{ $ref: "#/$defs/S" }, { $ref: "#/$defs/None" }] },
        b: { id: "urn:jsonschema:org:acme:B", type: "object", properties: { id: { type: "string" } } },
        c: { $ref: "urn:jsonschema:org:acme:B" },
      },
      $defs: { S: { type: "string" }, None: { type: "null" } },
    };
    expect(shape(root(schema))).toBe("{a:string? b:{id:string} c:{id:string}}");
  });

  it("finds titled choices behind a reference, all at once or one by one", () => {
    const schema = {
      type: "object",
      properties: {
        a: { $ref: "#/$defs/Size" },
        b: { oneOf: [{ $ref: "#/$defs/Small" }, { $ref: "#/$defs/Large", title: "Huge" }] },
        c: { anyOf: [{ $ref: "#/$defs/Size" }, { type: "null" }] },
        d: { type: "array", items: { $ref: "#/$defs/Size" } },
      },
      $defs: {
        Size: { oneOf: [{ $ref: "#/$defs/Small" }, { const: "m" }] },
        Small: { const: "s", title: "Small" },
        Large: { const: "l", title: "Large" },
      },
    };
    expect(shape(root(schema))).toBe('{a:<Small="s","m"> b:<Small="s",Huge="l"> c:<Small="s","m">? d:[…<Small="s","m">]}');
  });

  it("never goes elsewhere for a definition", () => {
    expect(shape(property({ $ref: "https://example.com/schema.json#/A" }))).toBe("json(remoteRef)");
    expect(shape(property({ $ref: "file:///etc/passwd" }))).toBe("json(remoteRef)");
    expect(shape(property({ $ref: "#/$defs/Nowhere" }))).toBe("json(missingRef)");
  });
});

describe("allOf", () => {
  it.each([
    [
      { allOf: [{ type: "object", properties: { a: { type: "string" } }, required: ["a"] }, { properties: { b: { type: "integer" } } }] },
      "{a!:string b:integer}",
    ],
    [{ type: "object", properties: { a: { type: "string" } }, allOf: [{ required: ["a"] }] }, "{a!:string}"],
    [{ allOf: [{ type: ["string", "integer"] }, { type: "number" }] }, "integer"],
    [{ allOf: [{ enum: ["a", "b"] }, { enum: ["b", "c"] }] }, '<"b">'],
    [{ allOf: [{ type: "string" }, { type: "integer" }] }, "json(conflict)"],
    [{ allOf: [{ properties: { a: { type: ["string", "integer"] } } }, { properties: { a: { type: "integer" } } }] }, "{a:integer}"],
    [{ allOf: [true, { type: "string" }] }, "string"],
    [{ allOf: [false, { type: "string" }] }, "never"],
  ])("%j is %s", (schema, expected) => {
    expect(shape(property(schema))).toBe(expected);
  });

  it("takes the narrower of two limits", () => {
    expect(
      property({
        type: "integer",
        allOf: [
          { minimum: 1, maximum: 10 },
          { minimum: 3, maximum: 20 },
        ],
      }),
    ).toMatchObject({ minimum: "3", maximum: "10" });
    expect(property({ type: "string", pattern: "^a", allOf: [{ pattern: "b$" }] })).toMatchObject({ patterns: ["^a", "b$"] });
  });
});

describe("no form", () => {
  it.each([
    [null, "absent"],
    ["{", "notJson"],
    ['"x"', "malformed"],
    ["true", "any"],
    ["false", "notObject"],
    ['{"type":"string"}', "notObject"],
    ['{"type":"array"}', "notObject"],
    ['{"$ref":"https://example.com/x"}', "remoteRef"],
    ["{}", "any"],
    ['{"type":"object"}', "form"],
    ['{"type":"object","properties":{}}', "form"],
  ])("%s: %s", (text, expected) => {
    expect(reason(text)).toBe(expected);
  });

  it("falls back to JSON for a schema that is too large", () => {
    expect(reason(`{"type":"object","description":"${"x".repeat(256 * 1024)}"}`)).toBe("tooLarge");
    expect(reason(`{"type":"object","description":"${"青".repeat(100_000)}"}`)).toBe("tooLarge");
    const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`p${index}`, {}]));
    expect(reason(JSON.stringify({ type: "object", properties: many }))).toBe("tooLarge");
  });

  it("answers a schema bomb at once", () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [
        `d${index}`,
        { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
      ]),
    );
    const begun = performance.now();
    expect(
      reason(
        JSON.stringify({
          type: "object",
          properties: { x: { $ref: "#/$defs/d0" } },
          $defs: { ...$defs, d60: { type: "object", properties: { a: { type: "string" } } } },
        }),
      ),
    ).toBe("tooLarge");
    const wide = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `d${index}`,
        {
          type: "object",
          required: ["a", "b"],
          properties: { a: { $ref: `#/$defs/d${index + 1}` }, b: { $ref: `#/$defs/d${index + 1}` } },
        },
      ]),
    );
    expect(
      reason(JSON.stringify({ type: "object", properties: { x: { $ref: "#/$defs/d0" } }, $defs: { ...wide, d40: { type: "string" } } })),
    ).toBe("form");
    expect(reason(`${'{"properties":{"a":'.repeat(200)}{}${"}}".repeat(200)}`)).toMatch(/tooLarge|notObject|form/);
    expect(performance.now() - begun).toBeLessThan(500);
  });

  it("survives what is not a schema in any place", () => {
    for (const odd of [
      "null",
      "1",
      '"x"',
      "[]",
      "[1]",
      "{}",
      "true",
      '{"type":7}',
      '{"$ref":7}',
      '{"enum":5}',
      '{"enum":[]}',
      '{"required":5,"properties":7}',
      '{"allOf":{}}',
      '{"oneOf":[]}',
      '{"oneOf":5}',
      '{"items":5}',
      '{"const":null}',
      '{"minLength":-1,"maxLength":"x"}',
    ]) {
      for (const key of ["x"]) {
        const model = compileSchema(`{"type":"object","properties":{"${key}":${odd}}}`);
        expect([odd, model.kind]).toEqual([odd, "form"]);
      }
      compileSchema(odd);
    }
  });
});
