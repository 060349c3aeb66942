import { field } from "@dev/mock/inbox-forms";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { FormField } from "@/ipc/bindings/FormField";
import { newDraft } from "@/components/form/draft";
import { Form } from "@/components/form/form";
import { formOf } from "./model";

const show = (shown: FormField) => {
  render(
    <Form
      asked
      root={formOf([shown])}
      server="s"
      draft={newDraft({ kind: "none", reason: "absent" })}
      problems={[]}
      empty=""
      onChange={() => undefined}
    />,
  );
  return userEvent.setup();
};
const harmless = "Accept the usual terms of the harbour ".repeat(6);
const fees = ["€1", "€100"].map((fee, at) => ({ value: String(at), title: `${harmless}and pay ${fee}` }));

describe("what a server calls a choice", () => {
  // Requirements: ELIC-13, ELIC-14.
  it.each([
    ["one", "radio"],
    ["some", "checkbox"],
  ] as const)("is there to its end: %s", (kind, role) => {
    show(field("terms", kind === "one" ? { kind, choices: fees } : { kind, choices: fees, minItems: null, maxItems: null }));
    for (const { title } of fees) screen.getByRole(role, { name: title });
  });
  it("is in sight where there are many of them", () => {
    show(
      field("terms", {
        kind: "one",
        choices: Array.from({ length: 12 }, (_, at) => ({ value: String(at), title: `${harmless}and pay €${at}` })),
      }),
    );
    expect(screen.queryByRole("combobox")).toBeNull();
    screen.getByRole("radio", { name: `${harmless}and pay €11` });
  });
  it("is a list that opens where the many are short", () => {
    show(field("harbour", { kind: "one", choices: Array.from({ length: 12 }, (_, at) => ({ value: `north-${at}`, title: null })) }));
    screen.getByRole("combobox");
  });
  it("says that there is more of it where it has no end", async () => {
    const title = `${harmless.repeat(4)}and pay €100`;
    const user = show(field("terms", { kind: "one", choices: [{ value: "a", title }] }, { required: true }));
    expect(screen.queryByText(/€100/)).toBeNull();
    screen.getByText(/…$/);
    const all = screen.getByRole("button", { name: /^Show all \(.+ B\)$/ });
    expect(all.getAttribute("aria-expanded")).toBe("false");
    await user.click(all);
    screen.getByRole("radio", { name: title });
    await user.click(screen.getByRole("button", { name: "Show less" }));
    expect(screen.queryByText(/€100/)).toBeNull();
  });
});

describe("what a server calls a field", () => {
  it("is there to its end, with what hides in it spelled out", () => {
    show(field("terms", { kind: "boolean" }, { title: `${harmless}\u202Eand pay €100` }));
    expect(screen.getByText(/and pay €100/).textContent).toBe(`${harmless}U+202Eand pay €100`);
  });
});
