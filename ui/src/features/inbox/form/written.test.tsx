// Values with several parts or of several types: entered in their own controls, sent as their type.
import { field } from "@dev/mock/inbox-forms";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { describe, expect, it } from "vitest";
import { type Draft, newDraft, problemsOf, typePart } from "@/components/form/draft";
import { Form } from "@/components/form/form";
import { TooltipProvider } from "@/components/tooltip";
import type { FormField } from "@/ipc/bindings/FormField";
import type { FormInput } from "@/ipc/bindings/FormInput";
import { type Asked, answerIn, contentOf, draftOf, firstDraft } from "./answer";
import { quickProblems } from "./check";
import { formOf } from "./model";

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
const asForm = (...fields: FormField[]): Asked => ({ fields, root: formOf(fields) });
const nothing = newDraft({ kind: "none", reason: "absent" });

/** The answer of a form, and its first problem. */
const verdict = (form: Asked, draft: Draft) => [
  contentOf(form, draft),
  [...problemsOf(draft, form.root, undefined), ...quickProblems(form.root, answerIn(form, draft))][0]?.code ?? null,
];

const cases: [string, FormInput, string, string, string | null][] = [
  ["a list of texts", list(text), '["a"," b"]', '["a"," b"]', null],
  ["a list of numbers, to the digit", list(number), "[1.50,2]", "[1.50,2]", null],
  ["a list with what is no number", list(number), '[1,"x"]', '[1,"x"]', "notNumber"],
  ["a list with an entry that is still empty", list(number), "[1,null]", "[1,null]", "required"],
  ["a list that is too long", list(text), '["a","b","c"]', '["a","b","c"]', "maxItems"],
  ["a list with an entry of two lines", list(text), '["a\\nb"]', '["a\\nb"]', null],
  ["a list without an entry", list(text), "[]", "", null],
  ["a text or a number: a number", either(text, number), "5.0", "5.0", null],
  ["a text or a number: a text", either(text, number), '"five"', '"five"', null],
  ["a text or a number: a number as a text", either(text, number), '"5"', '"5"', null],
  ["a text or a list: a list", either(text, list(text)), '["a"]', '["a"]', null],
  ["a text or a list: a text", either(text, list(text)), '"5"', '"5"', null],
  ["a number or a yes", either(number, { kind: "boolean" }), "true", "true", null],
  ["neither a number nor a yes", either(number, { kind: "boolean" }), '"perhaps"', '"perhaps"', "notNumber"],
  ["a choice that is null", { kind: "one", choices: [{ value: "null", title: null, json: "null" }] }, "null", "null", null],
  ["anything: JSON", { kind: "any" }, '{"a": [1.0]}', '{"a":[1.0]}', null],
  ["anything: a text", { kind: "any" }, '"a b"', '"a b"', null],
];

/** Shows one field in a form. Returns the answer. */
function show(only: FormField) {
  const form = asForm(only);
  const seen = { draft: firstDraft(form, null) };
  function Over() {
    const [draft, setDraft] = useState(seen.draft);
    const onChange = (edit: (draft: Draft) => Draft) => {
      seen.draft = edit(seen.draft);
      setDraft(seen.draft);
    };
    return <Form asked root={form.root} server="s" draft={draft} problems={[]} empty="" onChange={onChange} />;
  }
  render(<Over />, { wrapper: TooltipProvider });
  return { user: userEvent.setup(), sent: () => contentOf(form, seen.draft) };
}

describe("a value of several parts or types", () => {
  // Requirements: ELIC-11, ELIC-16.
  it.each(cases)("is sent as its type: %s", (_, input, typed, sent, code) => {
    const draft = typePart(nothing, ["f"], typed);
    expect(verdict(asForm(field("f", input)), draft)).toEqual([sent === "" ? "{}" : `{"f":${sent}}`, code]);
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
    const form = asForm(field("f", input, { default: proposed }));
    const first = firstDraft(form, null);
    expect(contentOf(form, first)).toBe(`{"f":${proposed}}`);
    expect(contentOf(form, firstDraft(form, draftOf(form, first)))).toBe(`{"f":${proposed}}`);
  });
  it("is filled in entry by entry, each with a name", async () => {
    const { user, sent } = show(field("f", list(number), { title: "Depths" }));
    screen.getByRole("group", { name: "Depths" });
    await user.click(screen.getByRole("button", { name: "Add item" }));
    await user.type(screen.getByRole("textbox", { name: "Item 1" }), "1.50");
    await user.click(screen.getByRole("button", { name: "Add item" }));
    await user.type(screen.getByRole("textbox", { name: "Item 2" }), "2");
    expect(sent()).toBe('{"f":[1.50,2]}');
    await user.click(screen.getByRole("button", { name: "Remove 2" }));
    await user.click(screen.getByRole("button", { name: "Remove 1" }));
    expect(sent()).toBe("{}");
  });
  it("is a text until something else is chosen", async () => {
    const { user, sent } = show(field("f", { kind: "any" }, { title: "Cargo", required: true }));
    await user.type(screen.getByRole("textbox", { name: "Cargo" }), "5");
    expect(sent()).toBe('{"f":"5"}');
    await user.click(screen.getByRole("combobox", { name: "Type of Cargo" }));
    await user.click(await screen.findByRole("option", { name: "Any value" }));
    await user.type(screen.getByRole("textbox", { name: "Cargo as JSON" }), "5");
    expect(sent()).toBe('{"f":5}');
  });
  it("covers each of its parts where it looks like a secret", () => {
    const secret = field("f", list(text), { looksSecret: true });
    render(
      <Form
        asked
        root={formOf([secret])}
        server="s"
        draft={typePart(nothing, ["f"], '["sk-1"]')}
        problems={[]}
        empty=""
        onChange={() => undefined}
      />,
      { wrapper: TooltipProvider },
    );
    expect(screen.getByDisplayValue<HTMLInputElement>("sk-1").type).toBe("password");
  });
});

describe("a form that is over", () => {
  it("can be read and copied, and not changed", () => {
    const over = [
      field("t", text, { title: "Text" }),
      field("n", number, { title: "Number" }),
      field("b", { kind: "boolean" }),
      field("o", sizes),
      field("l", list(text), { title: "List" }),
      field("e", either(text, number), { title: "Either" }),
    ];
    const draft = typePart(typePart(nothing, ["t"], '"as typed"'), ["l"], '["a"]');
    render(<Form asked disabled root={formOf(over)} server="s" draft={draft} problems={[]} empty="" onChange={() => undefined} />, {
      wrapper: TooltipProvider,
    });
    const boxes = screen.getAllByRole<HTMLInputElement>("textbox");
    expect(boxes.map((box) => [box.value, box.readOnly, box.disabled])).toEqual([
      ["as typed", true, false],
      ["", true, false],
      ["a", true, false],
    ]);
    const others = [...screen.getAllByRole<HTMLButtonElement>("radio"), ...screen.getAllByRole<HTMLButtonElement>("combobox")];
    expect(others.filter((control) => !control.disabled)).toEqual([]);
    expect(screen.queryByRole("button", { name: /Add|Remove/ })).toBeNull();
  });
});

describe("a choice that is no text", () => {
  // Requirements: ELIC-13, ELIC-14.
  it("is sent as its type, one or several", () => {
    const form = asForm(
      field(
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
      ),
    );
    const first = firstDraft(form, null);
    expect(contentOf(form, first)).toBe('{"s":[2,"1"]}');
    expect(contentOf(form, firstDraft(form, draftOf(form, first)))).toBe('{"s":[2,"1"]}');
  });
});

describe("a field that may be null", () => {
  const sent = (input: FormInput, required: boolean) => verdict(asForm(field("f", input, { required, nullable: true })), nothing);
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
    expect([sent(input, false), sent(input, true)]).toEqual([
      ["{}", null],
      ['{"f":null}', null],
    ]);
  });
});
