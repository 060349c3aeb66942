// Which empty answers are valid. The host accepts them: crates/forms/src/check.rs.
import "@/features/inbox/inbox-screen";
import { field } from "@dev/mock/inbox-forms";
import { asked } from "@dev/mock/inbox-questions";
import { openApp } from "@dev/render";
import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { FormField } from "@/ipc/bindings/FormField";
import type { FormInput } from "@/ipc/bindings/FormInput";
import { newDraft, typePart } from "@/components/form/draft";
import { type Asked, answerIn, contentOf, draftOf, firstDraft } from "./answer";
import { quickProblems } from "./check";
import { formOf } from "./model";

type Input<K extends FormInput["kind"]> = Extract<FormInput, { kind: K }>;
const text: Input<"text"> = { kind: "text", minLength: null, maxLength: null, pattern: null, format: null };
const levels: Input<"one"> = {
  kind: "one",
  choices: [
    { value: "", title: null },
    { value: "low", title: null },
  ],
};
const some: Input<"some"> = { kind: "some", choices: ["a", "b"].map((value) => ({ value, title: null })), minItems: null, maxItems: null };

const asForm = (...fields: FormField[]): Asked => ({ fields, root: formOf(fields) });
const nothing = newDraft({ kind: "none", reason: "absent" });

/** The answer for a field with this value, and its problem. */
const verdict = (input: FormInput, value: string | readonly string[] | null, rest: Partial<FormField> = {}) => {
  const form = asForm(field("f", input, rest));
  const draft = value === null ? nothing : typePart(nothing, ["f"], JSON.stringify(value));
  return [contentOf(form, draft), quickProblems(form.root, answerIn(form, draft))[0]?.code ?? null];
};

const verdicts: [string, FormInput, string | readonly string[] | null, Partial<FormField>, string, string | null][] = [
  ["a choice that is the empty text", levels, "", { required: true }, '{"f":""}', null],
  ["no choice", levels, null, { required: true }, "{}", "required"],
  ["none of several, where one answers", some, null, { required: true }, '{"f":[]}', null],
  ["none of several, taken back", some, [], { required: true }, '{"f":[]}', null],
  ["none of several, where some are needed", { ...some, minItems: 1 }, [], { required: true }, "{}", "required"],
  ["none of several, chosen as such", some, [], {}, '{"f":[]}', null],
  ["none of several, never touched", some, null, {}, "{}", null],
  ["none of several, or some", { ...some, minItems: 1 }, [], {}, "{}", null],
  ["a text that has to be there", text, "", { required: true }, '{"f":""}', null],
  ["a text that has to be there, never touched", text, null, { required: true }, '{"f":""}', null],
  ["a text that has to be long", { ...text, minLength: 2 }, "", { required: true }, '{"f":""}', "required"],
  ["a text that has to be an address", { ...text, format: "email" }, "", { required: true }, '{"f":""}', "required"],
  ["a text that one may leave out", text, "", {}, "{}", null],
  ["a text that one may leave out and that has to be long", { ...text, minLength: 2 }, "", {}, "{}", null],
  ["a text that was proposed and cleared", text, "", { default: '"x"' }, "{}", null],
  ["a text that was proposed empty", text, null, { default: '""' }, '{"f":""}', null],
  ["a secret that was proposed empty", text, null, { default: '""', looksSecret: true }, "{}", null],
  ["a number", { kind: "number", integer: false, minimum: null, maximum: null }, null, { required: true }, "{}", "required"],
];

describe("an empty answer", () => {
  // Requirements: ELIC-13, ELIC-14, ELIC-16.
  it.each(verdicts)("of a form: %s", (_, input, value, rest, content, mistake) => {
    expect(verdict(input, value, rest)).toEqual([content, mistake]);
  });
  // Requirements: ELIC-15.
  it("that the server proposes is sent by whoever changes nothing, also after another look", () => {
    const form = asForm(
      field("t", text, { default: '""' }),
      field("o", levels, { default: '""' }),
      field("s", some, { default: "[]" }),
      field("p", some, { default: '["b"]' }),
    );
    const first = firstDraft(form, null);
    expect(contentOf(form, first)).toBe('{"t":"","o":"","s":[],"p":["b"]}');
    expect(contentOf(form, firstDraft(form, draftOf(form, first)))).toBe(contentOf(form, first));
  });
  it("is said where it is given, looked over and sent", async () => {
    const { user, host } = openApp("/inbox");
    await screen.findByRole("heading", { level: 2, name: "Nothing is waiting" });
    act(() =>
      host.inbox.ask([
        asked(
          90,
          10,
          {
            kind: "form",
            message: "",
            oddities: [],
            fields: [
              field("level", levels, { required: true }),
              field("needs", some, { title: "Needs", required: true }),
              field("note", text, { title: "Note", required: true }),
              field("more", some, { title: "More" }),
            ],
          },
          0,
        ),
      ]),
    );
    await screen.findByRole("heading", { level: 2, name: "“ demo ” asks you to fill in a form" });
    expect(screen.getAllByText("sent as empty text")).toHaveLength(2);
    await user.type(screen.getByRole("textbox", { name: "Note" }), "x");
    expect(screen.getAllByText("sent as empty text")).toHaveLength(1);
    await user.clear(screen.getByRole("textbox", { name: "Note" }));
    await user.click(screen.getByRole("radio", { name: "(blank)" }));
    // Choosing none is different from no answer.
    const more = within(screen.getByRole("group", { name: "More" }));
    const none = more.getByRole("checkbox", { name: "No answer" });
    expect(none.getAttribute("aria-checked")).toBe("true");
    await user.click(more.getByRole("checkbox", { name: "a" }));
    await user.click(more.getByRole("checkbox", { name: "a" }));
    expect(none.getAttribute("aria-checked")).toBe("false");
    await user.click(await screen.findByRole("button", { name: "Review" }));
    await screen.findByText(/^This is exactly what will be sent\.$/);
    await user.click(screen.getByRole("button", { name: "JSON" }));
    const seen = document.querySelector("pre")?.textContent ?? "";
    await waitFor(() => expect(screen.getByRole<HTMLButtonElement>("button", { name: "Send" }).disabled).toBe(false), { timeout: 5_000 });
    await user.click(screen.getByRole("button", { name: "Send" }));
    await waitFor(() =>
      expect(host.inbox.accepted).toEqual([
        { id: 90, answer: { action: "accept", content: '{"level":"","needs":[],"note":"","more":[]}', remember: "once" } },
      ]),
    );
    expect(seen.replaceAll(/\s/g, "")).toBe('{"level":"","needs":[],"note":"","more":[]}');
  });
});
