import "@/features/inbox/inbox-screen";
import { rareFields } from "@dev/mock/inbox-edges";
import { openApp } from "@dev/render";
import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";

describe("what a form cannot say", () => {
  // Requirements: ELIC-17.
  it("stands beside it: the server's words apart from what they mean for the answer", async () => {
    openApp("/inbox?id=83", "inbox_edges");
    const note = await screen.findByRole("note");
    expect(rareFields.oddities).toHaveLength(2);
    within(note).getByText(/also asks for 2 things a form can’t show\. Mooring doesn’t check them/);
    const theirs = within(note).getByText('remarks.pattern: "^(?!.*confidential)"');
    expect(theirs.closest("[data-theirs]")).not.toBeNull();
    within(note).getByText(/^allOf: \[/);
    const ours = within(note).getByText("can’t be checked here; the server checks it");
    expect(ours.closest("[data-theirs]")).toBeNull();
  });
  it("is no part of a form that says all", async () => {
    openApp("/inbox?id=21", "inbox_form");
    await screen.findByRole("heading", { level: 2, name: "“ demo ” asks you to fill in a form" });
    expect(screen.queryByRole("note")).toBeNull();
  });
});
