// Values that have no control of their own: written as text, sent as their type.
import { field } from "@dev/mock/inbox-forms";
import { describe, expect, it } from "vitest";
import type { FormField } from "@/ipc/bindings/FormField";
import type { FormInput } from "@/ipc/bindings/FormInput";
import { mistakeOf } from "./check";
import { contentOf, draftOf, firstValues, type Value } from "./values";

const text: FormInput = { kind: "text", minLength: null, maxLength: null, pattern: null, format: null };
const number: FormInput = { kind: "number", integer: false, minimum: null, maximum: null };
const list = (of: FormInput, minItems: number | null = null): FormInput => ({ kind: "list", of, minItems, maxItems: 2 });
const either = (...kinds: FormInput[]): FormInput => ({ kind: "either", kinds });
const sizes: FormInput = {
  kind: "one",
  choices: [
    { value: "1", title: "One", json: "1" },
    { value: "1", title: "Text" },
  ],
};

const cases: [string, FormInput, string, string, string | null][] = [
  ["a list of texts", list(text), "a\n\n b", '["a"," b"]', null],
  ["a list of numbers, to the digit", list(number), "1.50\n2", "[1.50,2]", null],
  ["a list with what is no number", list(number), "1\nx", '"1\\nx"', "entries"],
  ["a list that is too long", list(text), "a\nb\nc", '["a","b","c"]', "maxItems"],
  ["a list as JSON", list(text), '["a\\nb"]', '["a\\nb"]', null],
  ["a text or a number: a number", either(text, number), "5.0", "5.0", null],
  ["a text or a number: a text", either(text, number), "five", '"five"', null],
  ["a text or a number: a number as a text", either(text, number), '"5"', '"5"', null],
  ["a text or a list: a list", either(text, list(text)), '["a"]', '["a"]', null],
  ["a text or a list: a text", either(text, list(text)), "5", '"5"', null],
  ["a number or a yes", either(number, { kind: "boolean" }), "true", "true", null],
  ["neither a number nor a yes", either(number, { kind: "boolean" }), "perhaps", '"perhaps"', "types"],
  ["anything: JSON", { kind: "any" }, '{"a": [1.0]}', '{"a":[1.0]}', null],
  ["anything: a text", { kind: "any" }, "a b", '"a b"', null],
];

describe("a value without a control of its own", () => {
  // Requirements: ELIC-11, ELIC-16.
  it.each(cases)("is sent as its type: %s", (_, input, typed, sent, code) => {
    const only = field("f", input);
    expect([contentOf([only], new Map([["f", typed]])), mistakeOf(only, typed)?.code ?? null]).toEqual([`{"f":${sent}}`, code]);
  });
  // Requirements: ELIC-15.
  it.each([
    [list(text), '["a","b"]'],
    [list(text), '["a\\nb"]'],
    [list(text), '["[1]"]'],
    [list(number), "[1.0,2]"],
    [list(text), "[]"],
    [either(text, number), '"5"'],
    [either(text, number), "5"],
    [either(text, number), '"x"'],
    [{ kind: "any" }, '"x"'],
    [{ kind: "any" }, '"1"'],
    [{ kind: "any" }, '{"a":null}'],
    [sizes, "1"],
    [sizes, '"1"'],
  ] as [FormInput, string][])("begins with what the server proposes, also after another look: %j %s", (input, proposed) => {
    const only: FormField = field("f", input, { default: proposed });
    const first = firstValues([only], null);
    expect(contentOf([only], first)).toBe(`{"f":${proposed}}`);
    if (proposed !== "[]") expect(contentOf([only], firstValues([only], draftOf([only], first)))).toBe(`{"f":${proposed}}`);
  });
});

describe("a choice that is no text", () => {
  // Requirements: ELIC-13, ELIC-14.
  it("is sent as its type, one or several", () => {
    const some = field(
      "s",
      {
        kind: "some",
        choices: [
          { value: "1", title: null, json: "1" },
          { value: "2", title: null, json: "2" },
          { value: "1", title: null },
        ],
        minItems: null,
        maxItems: null,
      },
      { default: '[2,"1"]' },
    );
    expect(contentOf([some], firstValues([some], null))).toBe('{"s":[2,"1"]}');
    expect(contentOf([some], firstValues([some], draftOf([some], firstValues([some], null))))).toBe('{"s":[2,"1"]}');
  });
});

describe("a field that may be null", () => {
  const sent = (input: FormInput, value: Value, required: boolean) => {
    const only = field("f", input, { required, nullable: true });
    return [contentOf([only], new Map([["f", value]])), mistakeOf(only, value)?.code ?? null];
  };
  // Requirements: ELIC-16.
  it.each([
    text,
    number,
    { kind: "boolean" },
    sizes,
    list(text, 1),
    either(text, number),
    { kind: "some", choices: [], minItems: 1, maxItems: null },
  ] as FormInput[])("is left out where it may be, and null where it has to be there: %j", (input) => {
    expect([sent(input, null, false), sent(input, null, true)]).toEqual([
      ["{}", null],
      ['{"f":null}', null],
    ]);
  });
});
