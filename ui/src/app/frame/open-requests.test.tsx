// A link or a file from a later start of the application.
import "@/features/servers/servers-screen";
import "@/features/settings/settings-screen";
import { openApp } from "@dev/render";
import { said } from "@dev/mock/say";
import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";

const dialog = async () => within(await screen.findByRole("dialog", { name: "Add server" }));

describe("what a later start was given", () => {
  it("is a URL that stands in the dialog, and nothing is added by itself", async () => {
    const { user, host } = openApp("/settings");
    await screen.findByRole("heading", { name: "Settings" });
    act(() => host.open({ kind: "url", url: "https://harbour.test/mcp" }));
    const form = await dialog();
    expect(await form.findByDisplayValue("https://harbour.test/mcp")).not.toBeNull();
    expect(host.sent.some(({ name }) => name === "add_server")).toBe(false);
    // It only opens once and doesn't come back with the dialog.
    await user.click(form.getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await user.keyboard("n");
    await user.click((await dialog()).getByRole("radio", { name: "URL" }));
    expect(screen.queryByDisplayValue("https://harbour.test/mcp")).toBeNull();
  });
  it("is a configuration that stands in the import", async () => {
    const { host } = openApp("/servers?id=1");
    await screen.findByRole("grid");
    act(() => host.open({ kind: "configuration", text: '{"mcpServers":{"lamp":{"command":"lamp"}}}' }));
    const form = await dialog();
    const add = await form.findByRole<HTMLButtonElement>("button", { name: "Add and start 1 server" });
    // A press that was meant for something else must not start it.
    expect(add.disabled).toBe(true);
    await waitFor(() => expect(add.disabled).toBe(false));
  });
  it("takes the place of a dialog that is open", async () => {
    const { user, host } = openApp("/servers?id=1");
    await screen.findByRole("grid");
    await user.keyboard("n");
    await dialog();
    act(() => host.open({ kind: "url", url: "https://pilot.test/mcp" }));
    await (await dialog()).findByDisplayValue("https://pilot.test/mcp");
  });
  it("is something else, which is said", async () => {
    const { host } = openApp("/settings");
    await screen.findByRole("heading", { name: "Settings" });
    const code = "{name} is neither a link to a server nor a file with servers";
    act(() => host.open({ kind: "rejected", message: said(code, { name: "notes.txt" }) }));
    await screen.findByText(/^notes\.txt is neither a link to a server/i);
    expect(screen.queryByRole("dialog")).toBeNull();
  });
});
