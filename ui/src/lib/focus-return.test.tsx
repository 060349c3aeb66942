import "@/features/accounts/accounts-screen";
import "@/features/servers/servers-screen";
import "@/features/policies/policies-screen";
import { dialogWithKeyboard, openApp } from "@dev/render";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";

const row = (name: string) => screen.findByRole("row", { name: new RegExp(name) });
const gone = () => waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());

afterEach(() => window.happyDOM?.setViewport({ width: 1280, height: 800 }));

describe("the focus", () => {
  it("is back at its row when the list of shortcuts closes", async () => {
    const { user } = openApp("/servers?id=1");
    (await row("filesystem")).focus();
    await user.keyboard("?");
    await dialogWithKeyboard("Keyboard shortcuts");
    await user.keyboard("{Escape}");
    await gone();
    expect(document.activeElement).toBe(await row("filesystem"));
  });
  it("is back at its row when the palette closes, also by way of another dialog", async () => {
    const { user } = openApp("/servers?id=1");
    (await row("filesystem")).focus();
    await user.keyboard("{Control>}k{/Control}");
    await screen.findByRole("combobox", { name: "Search or run" });
    await user.keyboard("{Escape}");
    await gone();
    expect(document.activeElement).toBe(await row("filesystem"));
    await user.keyboard("{Control>}k{/Control}");
    await screen.findByRole("combobox", { name: "Search or run" });
    await user.keyboard("keyboard shortcuts{Enter}");
    await dialogWithKeyboard("Keyboard shortcuts");
    await user.keyboard("{Escape}");
    await gone();
    expect(document.activeElement).toBe(await row("filesystem"));
  });
  it("is back at the button that opened a dialog", async () => {
    const { user } = openApp("/policies");
    const add = await within(await screen.findByRole("main", { name: "Policies" })).findByRole("button", { name: "Add rule" });
    await user.click(add);
    await dialogWithKeyboard("Add rule");
    await user.keyboard("{Escape}");
    await gone();
    expect(document.activeElement).toBe(add);
  });
  it("is back in the dialog that the palette was opened over", async () => {
    const { user } = openApp("/policies");
    await user.click(await within(await screen.findByRole("main", { name: "Policies" })).findByRole("button", { name: "Add rule" }));
    const rule = await screen.findByRole("dialog", { name: "Add rule" });
    const field = document.activeElement;
    expect(rule.contains(field)).toBe(true);
    await user.keyboard("{Control>}k{/Control}");
    await screen.findByRole("combobox", { name: "Search or run" });
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("combobox", { name: "Search or run" })).toBeNull());
    await waitFor(() => expect(document.activeElement).toBe(field));
  });
  it("is back at the row whose menu opened a dialog", async () => {
    const { user } = openApp("/accounts");
    const last = (await screen.findAllByRole("row", { name: /Refreshes automatically/ })).at(-1);
    last?.focus();
    await user.pointer({ keys: "[MouseRight]", target: last ?? document.body });
    await user.click(await screen.findByRole("menuitem", { name: /Sign out/ }));
    await screen.findByRole("dialog");
    await user.keyboard("{Escape}");
    await gone();
    expect(document.activeElement).toBe(last);
  });
  it("is back at the row that is chosen when the pane over the page closes", async () => {
    window.happyDOM?.setViewport({ width: 900, height: 800 });
    const { user } = openApp("/servers");
    // Servers that need the person come first.
    await user.click(await row("github"));
    await screen.findByRole("dialog", { name: "github" });
    await user.keyboard("j");
    const pane = await screen.findByRole("dialog", { name: "linear" });
    pane.focus();
    await user.keyboard("{Escape}");
    await gone();
    expect(document.activeElement).toBe(await row("linear"));
  });
  it("stays where it was taken meanwhile", async () => {
    const { user } = openApp("/servers?id=1");
    (await row("filesystem")).focus();
    await user.keyboard("?");
    fireEvent.keyDown(await screen.findByRole("dialog"), { key: "Escape" });
    screen.getByRole("button", { name: /^Import/ }).focus();
    await gone();
    await new Promise((resolve) => setTimeout(resolve));
    expect(document.activeElement).toBe(screen.getByRole("button", { name: /^Import/ }));
  });
});
