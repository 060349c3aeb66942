import "@/features/apps/apps-screen";
import { dialogWithKeyboard, openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import { forgetWidths, keepWidth } from "@/lib/columns";
import { describe, expect, it } from "vitest";
import { appsSearch } from "./search";

const row = (name: RegExp) => screen.findByRole("row", { name });
const details = async (name: string) => within(await screen.findByRole("complementary", { name: `App details: ${name}` }));
const last = (host: ReturnType<typeof openApp>["host"], name: string) => host.apps.sent.findLast((command) => command.name === name)?.args;

describe("the list of apps", () => {
  it("has what needs the person first and says how each stands", async () => {
    const { user } = openApp("/apps");
    const grid = within(await screen.findByRole("grid", { name: "Apps" }));
    const rows = () => grid.getAllByRole("row").filter((one) => one.querySelector("[data-name-cell]") !== null);
    expect((await row(/^Claude Code/)).textContent).toMatch(/Connected.*The app asks.*2.*4 minutes ago/);
    expect(rows().map((one) => one.querySelector("b")?.textContent)).toEqual(["Codex", "Claude Code", "pier-bot", "Cursor", "Zed"]);
    expect(grid.getAllByRole("row", { name: /^(Needs you|Connected|Not connected) \d$/ })).toHaveLength(3);
    await user.click(screen.getByRole("button", { name: "Show 2 apps that aren’t installed" }));
    expect(rows()).toHaveLength(7);
    await user.keyboard("/goo");
    await waitFor(() => expect(rows()).toHaveLength(1));
    await user.keyboard("nothing");
    await screen.findByText("No matching apps");
  });
  it("has the columns that fit, each with its width", async () => {
    keepWidth("apps", 423);
    openApp("/apps");
    await row(/^Claude Code/);
    const grid = screen.getByRole("grid", { name: "Apps" });
    expect(
      within(grid)
        .getAllByRole("columnheader")
        .map(({ textContent }) => textContent),
    ).toEqual(["App", "Calls", "Action"]);
    expect([...grid.querySelectorAll<HTMLElement>("col")].map(({ style }) => style.width)).toEqual(["", "112px", "116px"]);
    forgetWidths();
  });
  it("is walked with j and k", async () => {
    const { user } = openApp("/apps");
    await row(/^Claude Code/);
    await user.keyboard("j");
    await waitFor(async () => expect((await row(/^Claude Code/)).getAttribute("aria-selected")).toBe("true"));
  });
  it("says where there is none how any app can be connected", async () => {
    const { user } = openApp("/apps", "empty");
    await screen.findByText("No apps found");
    const [, button] = screen.getAllByRole("button", { name: "Connect app…" });
    if (!button) throw new Error("no button");
    await user.click(button);
    const dialog = within(await dialogWithKeyboard("Connect another app"));
    await user.type(dialog.getByRole("textbox", { name: "App name" }), "quay");
    await waitFor(() => expect(dialog.getByText(/"quay"/)).toBeDefined());
    await user.click(dialog.getByRole("radio", { name: "Command line" }));
    await dialog.findByText("/usr/bin/mooring bridge --app quay");
    dialog.getByText("Apps can’t connect over HTTP yet.");
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
    // What the app gets comes first, and the file's lines are collapsed.
    expect(dialog.getByText("What changes in this file").closest("details")?.open).toBe(false);
    expect((await dialog.findAllByText("added:")).length).toBeGreaterThan(3);
    dialog.getByText(/"MOORING_APP_KEY": "\(made when you connect\)"/);
    expect(dialog.queryByText(/loses \d+ tools/)).toBeNull();
    // What it gets is shown before, and approved with it.
    const gets = within(dialog.getByRole("region", { name: "What the app gets" }));
    // Only tools that claim to be read-only are preselected.
    expect(gets.getByRole("radio", { name: /^Approve the \d+ tools that say they only read$/ }).getAttribute("aria-checked")).toBe("true");
    await user.click(gets.getByRole("radio", { name: "Review first" }));
    expect(gets.getByRole("status").textContent).toMatch(/^“Cursor” will get \d+ tools\. /);
    dialog.getByRole("button", { name: "Connect" });
    await user.click(gets.getByRole("radio", { name: "Approve all" }));
    expect(gets.getByRole("status").textContent).toMatch(
      /^“Cursor” will get \d+ tools: \d+ approved already, \d+ that you approve here\. Of these, \d+ don’t say whether they delete data/,
    );
    await user.click(dialog.getByRole("button", { name: /^Approve \d+ and connect$/ }));
    await waitFor(() => expect(last(host, "connect_app")).toEqual({ id: "cursor", hash: "shown", replaces: [] }));
    const lead = within(await screen.findByRole("dialog", { name: "Almost done: restart “Cursor”" }));
    lead.getByText("Restart “Cursor”");
    lead.getByText(/^“Cursor” can use \d+ tools$/);
    lead.getByText("Waiting for “Cursor” to list the tools");
    host.appDoes("cursor", "lists");
    await lead.findByText(/^“Cursor” has listed \d+ tools$/);
    screen.getByRole("dialog", { name: "“Cursor” is connected" });
    host.appDoes("cursor", "calls");
    await lead.findByText("“Cursor” has called a tool");
    // What needs a separate review is still waiting.
    lead.getByRole("button", { name: /^Review \d+ more$/ });
    await user.click(lead.getByRole("button", { name: "Done" }));
    await user.click(await (await details("Cursor")).findByRole("button", { name: "Disconnect…" }));
    const undo = within(await dialogWithKeyboard("Disconnect “Cursor”"));
    await undo.findByText(/exactly what it was/);
    // The meaning comes first, and of the key only its existence is shown.
    await undo.findByText(/^“Cursor” loses \d+ tools\.$/);
    undo.getByText(/"MOORING_APP_KEY": "\(current key, hidden\)"/);
    expect(undo.queryByText(/@@|made when you connect/)).toBeNull();
    await user.click(undo.getByRole("button", { name: "Disconnect" }));
    await (await details("Cursor")).findByRole("button", { name: "Connect…" });
  });
  it("is not connected by a change that would be another one by now", async () => {
    const { user, host } = openApp("/apps?id=cursor&open=true", "apps_outdated");
    await user.click((await details("Cursor")).getByRole("button", { name: "Connect…" }));
    const dialog = within(await dialogWithKeyboard("Connect “Cursor”"));
    await dialog.findByText("/home/ana/.cursor/mcp.json");
    const submit = { name: /^Approve \d+ and connect$/ };
    await user.click(await dialog.findByRole("button", submit));
    await dialog.findByText("The file has changed since this was shown");
    expect(dialog.getByRole("button", submit)).toHaveProperty("disabled", true);
    expect(host.sent.filter(({ name }) => name === "approve_trust")).toEqual([]);
    await user.click(dialog.getByRole("button", { name: "Show again" }));
    await waitFor(() => expect(dialog.getByRole("button", submit)).toHaveProperty("disabled", false));
  });
  it("gets another level, and loses and gets servers and tools", async () => {
    const { user, host } = openApp("/apps?id=claude-code&open=true");
    const app = await details("Claude Code");
    await user.click(app.getByRole("radio", { name: /^Read-only/ }));
    await waitFor(() => expect(last(host, "set_app_level")).toEqual({ id: "claude-code", level: "read_only" }));
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
    await waitFor(() => expect(last(host, "set_app_off")).toEqual({ id: "claude-code", off: [off] }));
    await user.click(tool);
    await waitFor(() => expect(last(host, "set_app_off")).toEqual({ id: "claude-code", off: [] }));
    expect(server.getAttribute("aria-checked")).toBe("true");
    await user.click(server);
    await waitFor(() => expect(last(host, "set_app_off")).toEqual({ id: "claude-code", off: [{ server: id, tool: null }] }));
  });
  it("begins with what it gets, counted as in its row", async () => {
    const { host } = openApp("/apps?id=claude-code&open=true");
    const { id } = host.servers.find(({ name }) => name === "filesystem") ?? { id: 0 };
    const [first] = (await host.list_tools({ id, refresh: false })).tools;
    const gets = within((await details("Claude Code")).getByRole("region", { name: "What the app gets" }));
    const before = Number(/\d+/.exec((await gets.findByText(/^\d+ tools$/)).textContent)?.[0]);
    host.apps.setOff({ id: "claude-code", off: [{ server: id, tool: first?.name ?? "" }] });
    await gets.findByText("1 turned off here");
    gets.getByText(`${before} approved`);
    gets.getByText(`${before - 1} tools`);
    expect((await row(/^Claude Code/)).textContent).toContain(`Connected · ${before - 1} tools`);
    gets.getByText("Last used 4 minutes ago");
  });
  it("gets names of the length that it takes", async () => {
    const { user, host } = openApp("/apps?id=claude-code&open=true");
    const app = await details("Claude Code");
    const length = app.getByRole("textbox", { name: "Longest tool name" });
    expect(length.getAttribute("value")).toBe("50");
    app.getByText("Default for this app: 50");
    await user.clear(length);
    await user.type(length, "70{Enter}");
    expect(app.getByRole("alert").textContent).toBe("From 32 to 64");
    await user.clear(length);
    await user.type(length, "40{Enter}");
    await waitFor(() => expect(last(host, "set_app_longest_name")).toEqual({ id: "claude-code", longest: 40 }));
    await user.click(await app.findByRole("button", { name: "Use default" }));
    await waitFor(() => expect(last(host, "set_app_longest_name")).toEqual({ id: "claude-code", longest: null }));
    expect(length.getAttribute("value")).toBe("50");
  });
  it("gets a search in the place of all tools", async () => {
    const { user, host } = openApp("/apps?id=claude-code&open=true");
    const app = await details("Claude Code");
    expect(app.getByRole("radio", { name: "All tools" }).getAttribute("aria-checked")).toBe("true");
    app.getByText("All tools, because this app has a search of its own.");
    await user.click(app.getByRole("radio", { name: "Search" }));
    await waitFor(() => expect(last(host, "set_app_tool_list")).toEqual({ id: "claude-code", toolList: "search" }));
    expect(app.getByRole("radio", { name: "Search" }).getAttribute("aria-checked")).toBe("true");
    const { id } = host.servers.find(({ name }) => name === "filesystem") ?? { id: 0 };
    const [first] = (await host.list_tools({ id, refresh: false })).tools;
    if (!first) throw new Error("no tool");
    await user.type(app.getByRole("textbox", { name: "Search servers and tools" }), first.name);
    const [pin] = await app.findAllByRole("button", { name: `Pin “${first.name}” next to the search` });
    if (!pin) throw new Error("no pin");
    await user.click(pin);
    await waitFor(() => expect(last(host, "set_app_pinned")).toEqual({ id: "claude-code", pinned: [{ server: id, tool: first.name }] }));
    expect(pin.getAttribute("aria-pressed")).toBe("true");
    app.getByText("1 pinned");
    await user.click(pin);
    await waitFor(() => expect(last(host, "set_app_pinned")).toEqual({ id: "claude-code", pinned: [] }));
  });
  it("says which tools it doesn’t get until they are approved", async () => {
    const { user, router } = openApp("/apps?id=claude-code&open=true", "apps_unapproved");
    const app = await details("Claude Code");
    await app.findByText(/^14 tools aren’t approved/);
    app.getByRole("button", { name: /^weather 2 not approved yet/ });
    await user.click(app.getByRole("button", { name: /^filesystem 2 tools · 12 not approved yet/ }));
    // Unapproved tools have no switch, and neither have servers without approved tools.
    const waiting = app.getByRole("list", { name: /^Not approved yet/ });
    expect(within(waiting).getAllByRole("listitem")).toHaveLength(12);
    const tools = waiting.closest("ul:not([aria-labelledby])") as HTMLElement;
    expect(within(tools).getAllByRole("switch")).toHaveLength(2);
    expect(app.queryByRole("switch", { name: "“weather” is on" })).toBeNull();
    await user.click(app.getByRole("switch", { name: "“filesystem” is on" }));
    await app.findByRole("button", { name: /^filesystem Off · 14 tools/ });
    const [review] = app.getAllByRole("link", { name: "Review" });
    if (!review) throw new Error("no link");
    await user.click(review);
    await waitFor(() => expect(router.state.location.pathname).toBe("/review"));
  });
  it("loses and gets prompts and resources", async () => {
    const { user, host } = openApp("/apps?id=claude-code&open=true");
    const app = await details("Claude Code");
    const prompts = app.getByRole("switch", { name: "Prompts from all servers" });
    await user.click(prompts);
    await waitFor(() => expect(last(host, "set_app_offers")).toEqual({ id: "claude-code", prompts: false, resources: true }));
    await waitFor(() => expect(prompts.getAttribute("aria-checked")).toBe("false"));
    await user.click(app.getByRole("switch", { name: "Resources from all servers" }));
    await waitFor(() => expect(last(host, "set_app_offers")).toEqual({ id: "claude-code", prompts: false, resources: false }));
  });
  it("has its own servers imported", async () => {
    const { user } = openApp("/apps?id=cursor&open=true");
    await user.click((await details("Cursor")).getByRole("button", { name: "Import…" }));
    const dialog = within(await dialogWithKeyboard("Import servers from “Cursor”"));
    await dialog.findByText("Stored encrypted: LIGHTHOUSE_TOKEN");
    await user.click(dialog.getByRole("button", { name: /^Add and start 2/ }));
    await waitFor(async () => expect((await details("Cursor")).getAllByText("in Mooring")).toHaveLength(2));
  });
  it("shows the calls that run now and cancels one", async () => {
    const { user, host } = openApp("/apps?id=claude-code&open=true", "apps_running");
    const app = await details("Claude Code");
    await app.findByText("2 open connections");
    expect(app.getByText("create_issue").closest("li")?.textContent).toMatch(/github · for 1\d s/);
    expect(app.getByRole("link", { name: "Show in Activity" }).getAttribute("href")).toMatch(/app=claude-code/);
    await user.click(app.getByRole("button", { name: "Cancel “create_issue”" }));
    await waitFor(() => expect(last(host, "cancel_app_call")).toEqual({ call: 41 }));
    await waitFor(() => expect(app.queryByText("create_issue")).toBeNull());
  });
  it("says that its settings were changed by another program", async () => {
    const { user, host } = openApp("/apps?id=claude-code&open=true", "apps_changed");
    const app = await details("Claude Code");
    await user.click(app.getByRole("button", { name: "Save as shown" }));
    await waitFor(() => expect(last(host, "set_app_level")).toBeDefined());
    await waitFor(() => expect(app.queryByText("These settings were changed outside Mooring")).toBeNull());
  });
  it("whose file can’t be read is not connected", async () => {
    openApp("/apps?id=codex&open=true");
    const app = await details("Codex");
    app.getByText("Mooring can’t read this app’s file");
    expect(app.queryByRole("button", { name: "Connect…" })).toBeNull();
    app.getByRole("button", { name: "Try again" });
  });
});

describe("what an app pays", () => {
  const paid = async (host: ReturnType<typeof openApp>["host"]) => (await host.app_cost({ id: "claude-code" })).tokens;
  const sentence = (tokens: number) =>
    `Each new conversation starts with about ${tokens.toLocaleString("en")} tokens of tool definitions and instructions.`;
  it("is said in all, by server and by tool, the most first", async () => {
    const { user, host } = openApp("/apps?id=claude-code&open=true");
    const app = await details("Claude Code");
    const before = await paid(host);
    await app.findByText(sentence(before));
    app.getByText(/^Estimated with o200k_base/);
    const bars = within(app.getByRole("list", { name: "Tokens by server" })).getAllByRole("listitem");
    const parts = bars.map(({ textContent }) => Number(/[\d,]+$/.exec(textContent)?.[0].replaceAll(",", "")));
    expect(parts.length).toBeGreaterThan(1);
    expect(parts).toEqual(parts.toSorted((a, b) => b - a));
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(before);
    expect((await row(/^Claude Code/)).textContent).toContain(before.toLocaleString("en"));
    await user.click(await app.findByRole("button", { name: /^filesystem/ }));
    const tools = app.getAllByRole("listitem").filter((item) => item.querySelector(":scope > label") !== null);
    const figures = tools.map((item) => Number(item.querySelector(".tabular")?.textContent?.replaceAll(",", "")));
    expect(figures.length).toBeGreaterThan(2);
    expect(figures).toEqual(figures.toSorted((a, b) => b - a));
    const [first] = tools;
    if (!first) throw new Error("no tool");
    await user.click(within(first).getByRole("switch"));
    await app.findByText(sentence(before - (figures[0] ?? 0)));
    expect(tools[0]?.isConnected).toBe(true);
  });
  it("has one bar for all servers but the first five", async () => {
    openApp("/apps?id=claude-code&open=true", "many");
    const bars = within(await (await details("Claude Code")).findByRole("list", { name: "Tokens by server" })).getAllByRole("listitem");
    expect(bars).toHaveLength(6);
    expect(bars[5]?.textContent).toMatch(/^\d+ other servers[\d,]+$/);
  });
  it("is nothing where no tool is approved", async () => {
    const { user } = openApp("/apps?id=claude-code&open=true");
    const app = await details("Claude Code");
    for (const server of await app.findAllByRole("switch", { name: /is on$/ })) await user.click(server);
    await app.findByText("No tokens: this app gets no approved tools.");
  });
  it("is not guessed where it can’t be counted", async () => {
    openApp("/apps?id=claude-code&open=true", "failed_app_cost");
    await (await details("Claude Code")).findByText("Can’t count tokens");
  });
});

describe("an app’s token for HTTP", () => {
  it("waits for a port", async () => {
    const { user, router } = openApp("/apps?id=cursor&open=true");
    const app = await details("Cursor");
    await app.findByText("Apps can’t connect over HTTP yet.");
    expect(app.queryByRole("button", { name: "Create token" })).toBeNull();
    await user.click(app.getByRole("link", { name: "Choose a port in Settings" }));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ setting: "appsPort" }));
  });
  it("is shown once, and in the entry only meanwhile", async () => {
    const { user } = openApp("/apps?id=cursor&open=true", "apps_http");
    const app = await details("Cursor");
    await user.click(await app.findByRole("button", { name: "Create token" }));
    await app.findByText("Copy the entry or the token now. The token isn’t shown again.");
    const [token] = app.getAllByText(/^mooring_[0-9a-f]+$/);
    const secret = token?.textContent ?? "none";
    expect(app.getAllByText(secret, { exact: false }).length).toBeGreaterThan(1);
    // Actions on a token appear once this one was copied.
    expect(app.queryByRole("button", { name: "Revoke…" })).toBeNull();
    await user.click(app.getByRole("button", { name: "Hide token" }));
    app.getByText("http://127.0.0.1:7912/mcp");
    await app.findByText('"Bearer TOKEN"');
    expect(document.body.textContent).not.toContain(secret);
  });
  it("is renewed and revoked after a question", async () => {
    const { user, host } = openApp("/apps?id=pier-bot&open=true", "apps_http");
    const app = await details("pier-bot");
    await app.findByText("2 days ago");
    await user.click(app.getByRole("button", { name: "Renew token…" }));
    const renew = within(await dialogWithKeyboard("Renew the token of “pier-bot”?"));
    await user.click(renew.getByRole("button", { name: "Cancel" }));
    expect(last(host, "create_app_token")).toBeUndefined();
    await user.click(app.getByRole("button", { name: "Renew token…" }));
    await user.click(within(await dialogWithKeyboard("Renew the token of “pier-bot”?")).getByRole("button", { name: "Renew token" }));
    await app.findByText("Copy the entry or the token now. The token isn’t shown again.");
    await user.click(app.getByRole("button", { name: "Hide token" }));
    await user.click(app.getByRole("button", { name: "Revoke…" }));
    await user.click(within(await dialogWithKeyboard("Revoke the token of “pier-bot”?")).getByRole("button", { name: "Revoke token" }));
    await app.findByRole("button", { name: "Create token" });
    expect(last(host, "revoke_app_token")).toEqual({ id: "pier-bot" });
    expect(app.queryByText("Copy the entry or the token now. The token isn’t shown again.")).toBeNull();
  });
  it("that can’t be read is said to be so", async () => {
    openApp("/apps?id=pier-bot&open=true", "failed_get_app_token");
    await (await details("pier-bot")).findByText("Can’t read the token’s state");
  });
  it("that can’t be revoked is said to be so, and stays", async () => {
    const { user } = openApp("/apps?id=pier-bot&open=true", "failed_revoke_app_token");
    const app = await details("pier-bot");
    await user.click(await app.findByRole("button", { name: "Revoke…" }));
    await user.click(within(await dialogWithKeyboard("Revoke the token of “pier-bot”?")).getByRole("button", { name: "Revoke token" }));
    await app.findByText("Couldn’t change the token");
    app.getByRole("button", { name: "Revoke…" });
  });
});
