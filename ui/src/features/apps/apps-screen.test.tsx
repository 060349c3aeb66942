import "@/features/apps/apps-screen";
import { dialogWithKeyboard, openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { appsSearch } from "./search";

const row = (name: RegExp) => screen.findByRole("row", { name });
const details = async (name: string) => within(await screen.findByRole("complementary", { name: `App details: ${name}` }));
const last = (host: ReturnType<typeof openApp>["host"], name: string) => host.apps.sent.findLast((command) => command.name === name)?.args;

describe("the list of apps", () => {
  it("has what is connected first and says how each stands", async () => {
    const { user } = openApp("/apps");
    const grid = within(await screen.findByRole("grid", { name: "Apps" }));
    const rows = () => grid.getAllByRole("row").slice(1);
    expect((await row(/^Claude Code/)).textContent).toMatch(/connected.*The app asks.*2.*4 minutes ago/);
    expect(rows().map((one) => one.querySelector("b")?.textContent)).toEqual(["Claude Code", "Codex", "pier-bot", "Cursor", "Zed"]);
    await user.click(screen.getByRole("button", { name: "Show 2 apps that aren’t installed" }));
    expect(rows()).toHaveLength(7);
    await user.keyboard("/goo");
    await waitFor(() => expect(rows()).toHaveLength(1));
    await user.keyboard("nothing");
    await screen.findByText("No matching apps");
  });
  it("is walked with j and k", async () => {
    const { user } = openApp("/apps");
    await row(/^Claude Code/);
    await user.keyboard("j");
    await waitFor(async () => expect((await row(/^Codex/)).getAttribute("aria-selected")).toBe("true"));
  });
  it("says where there is none how any app can be connected", async () => {
    const { user } = openApp("/apps", "empty");
    await screen.findByText("No apps found");
    const [, button] = screen.getAllByRole("button", { name: "Other app…" });
    if (!button) throw new Error("no button");
    await user.click(button);
    const dialog = within(await dialogWithKeyboard("Connect another app"));
    await user.type(dialog.getByRole("textbox", { name: "App name" }), "quay");
    await waitFor(() => expect(dialog.getByText(/"quay"/)).toBeDefined());
    await user.click(dialog.getByRole("radio", { name: "Command line" }));
    await dialog.findByText("/usr/bin/mooring bridge --app quay");
  });
  it("keeps what makes sense of an address", () => {
    expect(appsSearch({ id: "cursor", open: "true", more: 1 })).toEqual({ id: "cursor", open: true });
    expect(appsSearch({ id: 7, open: "no" })).toEqual({});
  });
});

describe("an app", () => {
  it("is connected after its change was shown, and disconnected the same way", async () => {
    const { user, host } = openApp("/apps?id=cursor&open=true");
    await user.click((await details("Cursor")).getByRole("button", { name: "Connect…" }));
    const dialog = within(await dialogWithKeyboard("Connect “Cursor”"));
    await dialog.findByText("/home/ana/.cursor/mcp.json");
    expect((await dialog.findAllByText("added:")).length).toBeGreaterThan(3);
    await user.click(dialog.getByRole("button", { name: "Connect" }));
    await waitFor(() => expect(last(host, "connect_app")).toEqual({ id: "cursor", hash: "shown" }));
    await user.click(await (await details("Cursor")).findByRole("button", { name: "Disconnect…" }));
    const undo = within(await dialogWithKeyboard("Disconnect “Cursor”"));
    await undo.findByText(/exactly what it was/);
    await user.click(undo.getByRole("button", { name: "Disconnect" }));
    await (await details("Cursor")).findByRole("button", { name: "Connect…" });
  });
  it("is not connected by a change that would be another one by now", async () => {
    const { user } = openApp("/apps?id=cursor&open=true", "apps_outdated");
    await user.click((await details("Cursor")).getByRole("button", { name: "Connect…" }));
    const dialog = within(await dialogWithKeyboard("Connect “Cursor”"));
    await dialog.findByText("/home/ana/.cursor/mcp.json");
    await user.click(dialog.getByRole("button", { name: "Connect" }));
    await dialog.findByText("The file has changed since this was shown");
    expect(dialog.getByRole("button", { name: "Connect" })).toHaveProperty("disabled", true);
    await user.click(dialog.getByRole("button", { name: "Show again" }));
    await waitFor(() => expect(dialog.getByRole("button", { name: "Connect" })).toHaveProperty("disabled", false));
  });
  it("gets another level, and loses and gets servers and tools", async () => {
    const { user, host } = openApp("/apps?id=claude-code&open=true");
    const app = await details("Claude Code");
    await user.click(app.getByRole("radio", { name: /^Read-only/ }));
    await waitFor(() => expect(last(host, "set_app")).toEqual({ id: "claude-code", level: "read_only", off: [] }));
    const server = await app.findByRole("switch", { name: "“filesystem” is on" });
    await user.click(await app.findByRole("button", { name: /^filesystem/ }));
    const { id } = host.servers.find(({ name }) => name === "filesystem") ?? { id: 0 };
    const [first] = (await host.list_tools({ id, refresh: false })).tools;
    if (!first) throw new Error("no tool");
    await user.type(app.getByRole("textbox", { name: "Search servers and tools" }), first.name);
    const [tool] = await app.findAllByRole("switch", { name: first.name });
    if (!tool) throw new Error("no switch");
    await user.click(tool);
    const off = { server: id, tool: first.name };
    await waitFor(() => expect(last(host, "set_app")).toEqual({ id: "claude-code", level: "read_only", off: [off] }));
    await user.click(tool);
    await waitFor(() => expect(last(host, "set_app")).toEqual({ id: "claude-code", level: "read_only", off: [] }));
    expect(server.getAttribute("aria-checked")).toBe("true");
    await user.click(server);
    await waitFor(() =>
      expect(last(host, "set_app")).toEqual({ id: "claude-code", level: "read_only", off: [{ server: id, tool: null }] }),
    );
  });
  it("has its own servers imported", async () => {
    const { user } = openApp("/apps?id=cursor&open=true");
    await user.click((await details("Cursor")).getByRole("button", { name: "Import…" }));
    const dialog = within(await dialogWithKeyboard("Import servers of “Cursor”"));
    await dialog.findByText("Stored encrypted: LIGHTHOUSE_TOKEN");
    await user.click(dialog.getByRole("button", { name: /^Add and start 2/ }));
    await waitFor(async () => expect((await details("Cursor")).getAllByText("in Mooring")).toHaveLength(2));
  });
  it("says that its settings were changed by another program", async () => {
    const { user, host } = openApp("/apps?id=claude-code&open=true", "apps_changed");
    const app = await details("Claude Code");
    await user.click(app.getByRole("button", { name: "Save as shown" }));
    await waitFor(() => expect(last(host, "set_app")).toBeDefined());
    await waitFor(() => expect(app.queryByText("These settings were changed outside Mooring")).toBeNull());
  });
  it("whose file can’t be read is not connected", async () => {
    openApp("/apps?id=codex&open=true");
    const app = await details("Codex");
    app.getByText("Mooring can’t read this app’s file");
    expect(app.getByRole("button", { name: "Connect…" })).toHaveProperty("disabled", true);
  });
});
