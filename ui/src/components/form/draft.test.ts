import { describe, expect, it } from "vitest";
import { compileSchema } from "@/lib/schema/compile";
import { jsonNumber, jsonString, pathText } from "@/lib/schema/json";
import { concrete, type Field } from "@/lib/schema/model";
import {
  argumentsOf,
  asText,
  choose,
  chosenAt,
  chosenIn,
  type Draft,
  draftFrom,
  fillChosen,
  layOutText,
  newDraft,
  partText,
  problemsOf,
  rearrange,
  rename,
  setAt,
  setRaw,
  typePart,
  typeText,
} from "./draft";

function rootOf(schema: object): Field {
  const model = compileSchema(JSON.stringify(schema));
  if (model.kind === "none") throw new Error(model.reason);
  return model.root;
}
const start = (schema: object) => newDraft(compileSchema(JSON.stringify(schema)));
const free = start({ type: "object" });
const problems = (draft: Draft, schema: object) =>
  problemsOf(draft, rootOf(schema), undefined).map((problem) => `${pathText(problem.path)}:${problem.code}`);

describe("form and JSON are one", () => {
  it("shows what the form fills in as text, and what is typed as text in the form", () => {
    const filled = setAt(free, ["a"], jsonString("x"));
    expect(filled.text).toBe('{\n  "a": "x"\n}');
    const typed = typeText(filled, '{"a":"y","b":[1]}');
    expect(argumentsOf(typed)).toBe('{"a":"y","b":[1]}');
    expect(typed.text).toBe('{"a":"y","b":[1]}');
  });

  it("keeps text that is no JSON, and the last value beside it", () => {
    const broken = typeText(setAt(free, ["a"], jsonNumber("1")), '{"a": 1, ');
    expect(broken.text).toBe('{"a": 1, ');
    expect(broken.error).toMatchObject({ kind: "syntax", error: { code: "unexpectedEnd" } });
    expect(argumentsOf(broken)).toBeNull();
    expect(setAt(broken, ["b"], jsonNumber("2")).text).toBe('{"a": 1, ');
    expect(argumentsOf(layOutText(broken))).toBe('{"a":1}');
  });

  it("refuses what is JSON but no object", () => {
    expect(typeText(free, "[1]").error).toEqual({ kind: "notObject" });
    expect(typeText(typeText(free, "[1]"), "{}").error).toBeNull();
  });

  it("sends numbers exactly as written, and members the schema does not know", () => {
    const draft = typeText(free, '{"id": 12345678901234567890, "pi": 3.10, "extra": {"deep": [1e400]}}');
    expect(argumentsOf(setAt(draft, ["name"], jsonString("n")))).toBe(
      '{"id":12345678901234567890,"pi":3.10,"extra":{"deep":[1e400]},"name":"n"}',
    );
  });

  it("begins with what the schema prescribes and nothing else", () => {
    expect(
      argumentsOf(
        start({
          type: "object",
          properties: { a: { const: 1 }, b: { type: "string", default: "x" }, c: { type: "string" } },
          required: ["a", "c"],
        }),
      ),
    ).toBe('{"a":1}');
  });

  it("takes over the arguments of an earlier call, readable or not", () => {
    expect(draftFrom('{"a":[1,2]}').text).toContain("\n");
    expect(draftFrom("{oops").text).toBe("{oops");
  });
});

describe("parts edited as JSON", () => {
  it("keep what was typed with their field until it can be read", () => {
    const half = typePart(free, ["x"], '{"a": [1');
    expect(partText(half, ["x"])).toBe('{"a": [1');
    expect(argumentsOf(half)).toBeNull();
    expect(problems(half, { type: "object" })).toEqual(["x:invalidJson"]);
    const whole = typePart(half, ["x"], '{"a": [1]}');
    expect(partText(whole, ["x"])).toBe('{"a": [1]}');
    expect(argumentsOf(whole)).toBe('{"x":{"a":[1]}}');
  });

  it("give way when the value changes elsewhere", () => {
    const half = typePart(typePart(free, ["x"], "1"), ["x"], "[");
    expect(partText(typeText(half, '{"x": 2}'), ["x"])).toBe("2");
    expect(argumentsOf(typeText(half, '{"x": 2}'))).toBe('{"x":2}');
    expect(argumentsOf(setAt(half, ["x"], undefined))).toBe("{}");
  });

  it("do not stand in the way of the whole text, which has no place for what cannot be read", () => {
    const half = typePart(typePart(free, ["x"], "1"), ["x"], "[");
    expect(argumentsOf(asText(half))).toBe('{"x":1}');
    expect(partText(half, ["x"])).toBe("[");
    const typed = typeText(half, '{"x": 1, "y": 2}');
    expect([argumentsOf(typed), partText(typed, ["x"])]).toEqual(['{"x":1,"y":2}', "1"]);
    expect(partText(typeText(half, '{"x": '), ["x"])).toBe("[");
  });

  it("do not outlive the group around them", () => {
    const half = typePart(setAt(free, ["g", "a"], jsonNumber("1")), ["g", "x"], "[");
    expect(argumentsOf(half)).toBeNull();
    expect(argumentsOf(setAt(half, ["g"], undefined))).toBe("{}");
  });

  it("leave the part out when emptied", () => {
    expect(argumentsOf(typePart(typePart(free, ["x"], "5"), ["x"], "  "))).toBe("{}");
  });

  it("keep their place in a list when emptied, and are no JSON until something is typed", () => {
    const emptied = typePart(typeText(free, '{"l":[1,2]}'), ["l", 0], "", true);
    expect([emptied.value.members[0]?.value, partText(emptied, ["l", 0]), argumentsOf(emptied)]).toMatchObject([
      { items: [{ text: "1" }, { text: "2" }] },
      "",
      null,
    ]);
    expect(problems(emptied, { type: "object" })).toEqual(["l[0]:invalidJson"]);
    expect(argumentsOf(typePart(emptied, ["l", 0], "5", true))).toBe('{"l":[5,2]}');
  });
});

describe("lists and maps", () => {
  const list = typeText(free, '{"l":["a","b","c"]}');

  it("move and remove items, and what is remembered about them goes along", () => {
    const marked = setRaw(typePart(list, ["l", 2], "[oops"), ["l", 1], true);
    const swapped = rearrange(marked, ["l"], [2, 0, 1]);
    expect(swapped.text.replaceAll(/\s/g, "")).toBe('{"l":["c","a","b"]}');
    expect(partText(swapped, ["l", 0])).toBe("[oops");
    expect([...swapped.raw]).toEqual(['["l",2]']);
    const removed = rearrange(swapped, ["l"], [1, 2]);
    expect(argumentsOf(removed)).toBe('{"l":["a","b"]}');
    expect([...removed.raw]).toEqual(['["l",1]']);
  });

  it("rename a member in its place with all it holds", () => {
    const draft = typePart(typeText(free, '{"m":{"a":{"x":1},"b":2}}'), ["m", "a", "y"], "[");
    const renamed = rename(draft, ["m"], "a", "c");
    expect(renamed.text.replaceAll(/\s/g, "")).toBe('{"m":{"c":{"x":1},"b":2}}');
    expect(partText(renamed, ["m", "c", "y"])).toBe("[");
  });
});

describe("alternatives", () => {
  const schema = {
    type: "object",
    properties: {
      s: { oneOf: [{ type: "object", properties: { k: { const: "a" }, r: { type: "number" } }, required: ["k"] }, { type: "string" }] },
    },
  };
  const object = concrete(rootOf(schema));
  const field = object.kind === "object" && object.properties[0] ? concrete(object.properties[0].field) : null;

  it("bring back what was filled in when chosen again", () => {
    if (field?.kind !== "choice") throw new Error("no choice");
    const first = typeText(start(schema), '{"s":{"k":"a","r":7}}');
    const second = choose(first, ["s"], field, 1);
    expect(argumentsOf(second)).toBe("{}");
    const typed = setAt(second, ["s"], jsonString("words"));
    const back = choose(typed, ["s"], field, 0);
    expect(argumentsOf(back)).toBe('{"s":{"k":"a","r":7}}');
    expect(argumentsOf(choose(back, ["s"], field, 1))).toBe('{"s":"words"}');
  });

  it("can be none, and follow a value that is written elsewhere", () => {
    if (field?.kind !== "choice") throw new Error("no choice");
    const typed = fillChosen(start(schema), ["s"], 1, jsonString("words"));
    expect(chosenAt(fillChosen(typed, ["s"], 1, undefined), ["s"], field)).toBe(1);
    expect(chosenAt(typeText(typed, '{"s":{"k":"a"}}'), ["s"], field)).toBe(0);
    const none = choose(typed, ["s"], field, null);
    expect([argumentsOf(none), chosenAt(none, ["s"], field)]).toEqual(["{}", null]);
    expect(argumentsOf(choose(none, ["s"], field, 1))).toBe('{"s":"words"}');
  });
});

describe("problems", () => {
  it("name what does not fit, wherever it was typed", () => {
    const schema = { type: "object", properties: { n: { type: "integer", maximum: 5 }, s: { type: "string" } }, required: ["s"] };
    const draft = typeText(start(schema), '{"n": 9}');
    const check = {
      problems: [
        { at: "/n", code: "maximum" as const, detail: "5" },
        { at: "/s", code: "required" as const, detail: null },
      ],
      unchecked: [],
    };
    expect(problemsOf(draft, rootOf(schema), check).map(({ path, code }) => `${pathText(path)}:${code}`)).toEqual([
      "n:maximum",
      "s:required",
    ]);
  });

  it("name a text where a number was chosen, also where the schema allows one", () => {
    const schema = { type: "object", properties: { s: { type: ["integer", "string"] } } };
    const root = rootOf(schema);
    const field = root.kind === "object" ? root.properties[0]?.field : undefined;
    if (field?.kind !== "choice") throw new Error("no choice");
    const chosen = choose(start(schema), ["s"], field, 0);
    expect(problems(fillChosen(chosen, ["s"], 0, jsonString("12a")), schema)).toEqual(["s:notNumber"]);
    expect(problems(fillChosen(chosen, ["s"], 1, jsonString("12a")), schema)).toEqual([]);
  });

  it("are asked for by the alternatives in force", () => {
    const schema = {
      type: "object",
      properties: {
        "a/b": {
          anyOf: [
            { type: "null" },
            { type: "object", properties: { x: { type: "string" } } },
            { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] } },
          ],
        },
      },
    };
    expect(chosenIn(typeText(start(schema), '{"a/b": {}}'), rootOf(schema))).toEqual({ "/a~1b": 1 });
    expect(chosenIn(typeText(start(schema), '{"a/b": ["x", 1]}'), rootOf(schema))).toEqual({ "/a~1b": 2, "/a~1b/0": 0, "/a~1b/1": 1 });
    expect(chosenIn(start(schema), rootOf(schema))).toEqual({});
  });
});
