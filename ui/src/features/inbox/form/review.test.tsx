import { field } from "@dev/mock/inbox-forms";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { newDraft, typePart } from "@/components/form/draft";
import type { FormField } from "@/ipc/bindings/FormField";
import { formOf } from "./model";
import { Review } from "./review";

const text = { kind: "text", minLength: null, maxLength: null, pattern: null, format: null } as const;
const levels = [
  { value: "warn", title: "What may need you" },
  { value: "all", title: null },
];

/** A review of these values, each as JSON text. */
function review(fields: FormField[], values: Record<string, string>) {
  const draft = Object.entries(values).reduce(
    (before, [name, json]) => typePart(before, [name], json),
    newDraft({ kind: "none", reason: "absent" }),
  );
  render(<Review asked={{ fields, root: formOf(fields) }} draft={draft} transport="stdio" />);
  return userEvent.setup();
}
/** The text next to each label. */
const rows = () => Object.fromEntries(screen.getAllByRole("term").map((term) => [term.textContent, term.nextElementSibling?.textContent]));

describe("what is about to be sent of a form", () => {
  // Requirements: ELIC-06.
  it("stands by the labels that the form has", () => {
    review(
      [
        field("who", text, { title: "Call sign" }),
        field("draught", { kind: "number", integer: false, minimum: null, maximum: null }),
        field("level", { kind: "one", choices: levels }, { title: "Alerts" }),
        field("levels", { kind: "some", choices: levels, minItems: null, maxItems: null }),
      ],
      { who: '"DK\\n404"', draught: "4.20", level: '"warn"', levels: '["all"]' },
    );
    expect(rows()).toEqual({ "Call sign": "DK\n404", draught: "4.20", Alerts: "What may need you", levels: "all" });
    screen.getByText("This is exactly what will be sent.");
  });
  it("says what was left empty, and whether it is sent", () => {
    review([field("a", text), field("b", text, { required: true }), field("c", text, { required: true, nullable: true })], {});
    expect(rows()).toEqual({ b: "empty", c: "empty", "Left empty, not sent": "a" });
  });
  it("has what hides in labels and answers spelled out", () => {
    review([field("a", text, { title: "Na\u202Eme" })], { a: '"E\u200Bva"' });
    expect(rows()).toEqual({ "NaU+202Eme": "EU+200Bva" });
  });
  it("is covered where it is secret, also what was chosen", async () => {
    const user = review([field("key", { kind: "one", choices: levels }, { looksSecret: true })], { key: '"warn"' });
    expect(rows()).toEqual({ key: "••••••••" });
    screen.getByText("This is exactly what will be sent. Secrets are hidden here and sent as typed.");
    await user.click(screen.getByRole("button", { name: "Show secrets" }));
    expect(rows()).toEqual({ key: "What may need you" });
  });
  it("has secrets first, yes and no in words, and what isn’t sent in one line", () => {
    const yesNo = { kind: "boolean" } as const;
    review([field("a", text), field("on", yesNo), field("b", text), field("off", yesNo), field("key", text, { looksSecret: true })], {
      on: "true",
      off: "false",
      key: '"x"',
    });
    expect(Object.entries(rows())).toEqual([
      ["key", "••••••••"],
      ["on", "Yes"],
      ["off", "No"],
      ["Left empty, not sent", "a, b"],
    ]);
  });
  it("is JSON one click away, and back", async () => {
    const user = review([field("a", text), field("b", text)], { a: '"x"' });
    await user.click(screen.getByRole("button", { name: "JSON" }));
    expect(document.querySelector("pre")?.textContent).toBe('{\n  "a": "x"\n}');
    screen.getByText("This is exactly what will be sent. 1 empty field isn’t sent.");
    await user.click(screen.getByRole("button", { name: "List" }));
    expect(rows()).toEqual({ a: "x", "Left empty, not sent": "b" });
  });
  it("is an empty object where the form has no fields", () => {
    review([], {});
    expect(document.querySelector("pre")?.textContent).toBe("{}");
    expect(screen.queryByRole("button")).toBeNull();
  });
});
