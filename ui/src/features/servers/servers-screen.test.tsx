import "@/features/servers/servers-screen";
import "@/features/activity/activity-screen";
import type { Scene } from "@dev/mock/scenes";
import { dialogWithKeyboard, openApp } from "@dev/render";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";

const row = (name: string) => screen.findByRole("row", { name: new RegExp(name) });
const grid = () => screen.findByRole("grid", { name: "Servers" });
const names = async () =>
  within(await grid())
    .getAllByRole("row")
    .flatMap((item) => item.querySelector("td b")?.textContent ?? []);
const narrow = () => window.happyDOM?.setViewport({ width: 900, height: 800 });
afterEach(() => {
  vi.restoreAllMocks();
  window.happyDOM?.setViewport({ width: 1280, height: 800 });
});

describe("the list of servers", () => {
  it("says every state as a word", async () => {
    openApp("/servers");
    const words = within(await grid());
    for (const word of [
      "Ready",
      "Waiting for you",
      "Sign-in needed",
      "Partly working",
      "Changed, needs review",
      "Failed",
      "Starting",
      "Trying again",
      "Stopped",
    ]) {
      expect(words.getAllByText(word).length).toBeGreaterThan(0);
    }
  });
  it("puts the reason where a failed server has no figures", async () => {
    openApp("/servers");
    expect((await row("figma-dev")).textContent).toContain("Nothing responds at this URL.");
  });
  it("shows nobody's password in a command, and copies the whole command", async () => {
    const { user, host } = openApp("/servers?id=1");
    const dsn = "postgresql://me:hunter2@db.test/app";
    Object.assign(host.servers[0] ?? {}, { command: "uvx", args: ["mcp-server-postgres", dsn] });
    const details = within(await screen.findByRole("complementary", { name: "Details of “filesystem”" }));
    await details.findByText("uvx mcp-server-postgres postgresql://•••@db.test/app");
    await user.keyboard("/hunter2");
    await screen.findByText("No server matches");
    await user.clear(screen.getByRole("textbox", { name: "Filter" }));
    expect(document.body.textContent).not.toContain("hunter2");
    await user.pointer({ keys: "[MouseRight]", target: await row("filesystem") });
    await user.click(await screen.findByRole("menuitem", { name: "Copy command" }));
    expect(await navigator.clipboard.readText()).toBe(`uvx mcp-server-postgres ${dsn}`);
  });
  it("does not reconnect to what it never reached, and offers what helps", async () => {
    const { user, host, router } = openApp("/servers?id=7");
    const figma = () => host.servers.find((server) => server.id === 7);
    Object.assign(figma() ?? {}, { state: "starting", attempt: 1 });
    expect((await row("figma-dev")).textContent).toContain("Starting");
    const details = within(await screen.findByRole("complementary", { name: "Details of “figma-dev”" }));
    details.getByText("attempt 2");
    details.getByText("Nothing responds at this URL.");
    expect(details.queryByRole("progressbar")).toBeNull();
    details.getByRole("button", { name: "Try now" });
    await user.click(details.getByRole("button", { name: "Edit URL" }));
    await waitFor(() => expect(router.state.location.search).toEqual({ id: 7, tab: "settings" }));
    await user.click(details.getByRole("tab", { name: "Overview" }));
    await details.findByRole("alert");
    await user.click(details.getByRole("button", { name: /^Stop/ }));
    await waitFor(() => expect(figma()?.state).toBe("stopped"));
  });
  it("offers to edit the command of a server that failed", async () => {
    const { user, router } = openApp("/servers?id=9");
    await row("browser");
    const notice = within(await screen.findByRole("alert"));
    notice.getByRole("button", { name: "Try now" });
    await user.click(notice.getByRole("button", { name: "Edit command" }));
    await waitFor(() => expect(router.state.location.search).toEqual({ id: 9, tab: "settings" }));
  });
  it("is filtered by name, address and state, and says when nothing is left", async () => {
    const { user } = openApp("/servers");
    await grid();
    await user.keyboard("/");
    await user.keyboard("failed");
    expect(await names()).toEqual(["figma-dev"]);
    await user.keyboard("xyz");
    await screen.findByText("No server matches");
    await user.click(screen.getByRole("button", { name: "Clear filter" }));
    expect((await names()).length).toBe(10);
  });
  it("is sorted by a press on a column's name, what needs the person first, and stays so", async () => {
    const { user } = openApp("/servers");
    const before = await names();
    await user.click(within(await grid()).getByRole("button", { name: "State" }));
    const byState = await names();
    expect(byState[0]).toBe("github");
    expect(byState.at(-1)).toBe("demo");
    await user.click(within(await grid()).getByRole("button", { name: "Server" }));
    expect(await names()).toEqual(before.toSorted((left, right) => (left ?? "").localeCompare(right ?? "", "en")));
    await user.click(within(await grid()).getByRole("button", { name: "Server" }));
    expect(localStorage.getItem("mooring.servers.sort")).toBe("server descending");
    expect((await names()).at(-1)).toBe("browser");
    await user.click(within(await grid()).getByRole("button", { name: "Server" }));
    expect(await names()).toEqual(before);
  });
  it("is walked with j and k and the arrows", async () => {
    const { user } = openApp("/servers?id=1");
    const first = await row("filesystem");
    await user.keyboard("jj");
    await waitFor(async () => expect((await row("git\\b")).getAttribute("aria-selected")).toBe("true"));
    await user.keyboard("k");
    await waitFor(async () => expect((await row("postgres-prod")).getAttribute("aria-selected")).toBe("true"));
    first.focus();
    await user.keyboard("{Home}");
    await waitFor(async () => expect((await row("github")).getAttribute("aria-selected")).toBe("true"));
  });
  it("is walked with j and k from anywhere, and Enter opens the row that was reached", async () => {
    narrow();
    const { user, router } = openApp("/servers");
    await grid();
    await user.keyboard("jj{Enter}");
    await screen.findByRole("complementary", { name: "Details of “linear”" });
    expect(router.state.location.search).toEqual({ id: 4, page: true });
    await waitFor(() => expect(document.activeElement?.getAttribute("role")).toBe("tabpanel"));
  });
  it("stays usable beside a server that a press opened", async () => {
    narrow();
    const { user } = openApp("/servers");
    await user.click(await row("github"));
    await screen.findByRole("dialog", { name: "github" });
    expect(document.activeElement?.getAttribute("role")).toBe("dialog");
    await user.keyboard("j");
    expect(document.activeElement).toBe(await row("linear"));
  });
  it("loses one server to a Backspace that is held", async () => {
    const { user, host } = openApp("/servers?id=1");
    (await row("filesystem")).focus();
    await user.keyboard("{Backspace>5/}");
    await waitFor(() => expect(screen.queryByRole("row", { name: /filesystem/ })).toBeNull());
    expect(host.servers.length).toBe(9);
  });
  it("has no key act on a server that the filter hides", async () => {
    const { user, host } = openApp("/servers?id=1");
    await row("filesystem");
    await user.keyboard("/");
    await user.keyboard("zzz{Tab}{Backspace}sr");
    expect(host.servers.length).toBe(10);
    await user.clear(screen.getByRole("textbox", { name: "Filter" }));
    await user.keyboard("figma{Tab}{Backspace}sr");
    expect(host.servers.map((server) => server.name)).toContain("filesystem");
    expect(host.servers[0]?.state).toBe("ready");
  });
  it("keeps its filter while an input method drops what it put together", async () => {
    openApp("/servers");
    await grid();
    const box = screen.getByRole<HTMLInputElement>("textbox", { name: "Filter" });
    fireEvent.change(box, { target: { value: "git" } });
    fireEvent.keyDown(box, { key: "Escape", keyCode: 229 });
    expect(box.value).toBe("git");
    fireEvent.keyDown(box, { key: "Escape" });
    expect(box.value).toBe("");
  });
  it("keeps its choice while a server is added", async () => {
    const { user, router } = openApp("/servers?id=3&tab=tools");
    await row("postgres-prod");
    await user.keyboard("n");
    await dialogWithKeyboard("Add server");
    expect(router.state.location.search).toEqual({ id: 3, tab: "tools", add: "command" });
    await user.keyboard("{Escape}");
    await waitFor(() => expect(router.state.location.search).toEqual({ id: 3, tab: "tools" }));
    expect((await row("postgres-prod")).getAttribute("aria-selected")).toBe("true");
  });
  it("stops and starts the chosen server with s", async () => {
    const { user, host } = openApp("/servers?id=1");
    await row("filesystem");
    await user.keyboard("s");
    await screen.findByRole("row", { name: /filesystem.*Stopped/ });
    expect(host.servers[0]?.state).toBe("stopped");
    await user.keyboard("s");
    await screen.findByRole("row", { name: /filesystem.*(Starting|Ready)/ });
    expect(host.servers[0]?.state).not.toBe("stopped");
  });
  it("leads to the sign-in of a remote server with l, which begins nothing", async () => {
    const { user, host, router } = openApp("/servers?id=4");
    await row("linear");
    await user.keyboard("l");
    await waitFor(() => expect(router.state.location.search).toMatchObject({ id: 4, tab: "sign_in" }));
    expect(host.sent).toEqual([]);
  });
  it("leads to what was recorded of a server, whatever it was called", async () => {
    const { user, host, router } = openApp("/servers?id=1");
    await row("filesystem");
    const [first] = host.servers;
    if (first === undefined) throw new Error("no server");
    await host.update_server({ id: 1, server: { ...first, name: "files" } });
    await user.pointer({ keys: "[MouseRight]", target: await row("files") });
    await user.click(await screen.findByRole("menuitem", { name: "Show activity" }));
    await waitFor(() => expect(router.state.location.search).toEqual({ serverId: 1 }));
    const filters = within(await screen.findByRole("group", { name: "Active filters" }));
    await filters.findByText("files");
    await user.click(filters.getByRole("button", { name: "Remove filter: Server" }));
    await waitFor(() => expect(router.state.location.search).toEqual({}));
  });
  it("brings a removed server back on undo", async () => {
    const { user, host } = openApp("/servers?id=2");
    await user.pointer({ keys: "[MouseRight]", target: await row("github") });
    await user.click(await screen.findByRole("menuitem", { name: /Remove/ }));
    await waitFor(() => expect(host.servers.some((server) => server.name === "github")).toBe(false));
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(host.servers.some((server) => server.name === "github")).toBe(true));
  });
  it("chooses a removed server again on undo, and gives it the focus", async () => {
    const { user } = openApp("/servers?id=2");
    (await row("github")).focus();
    await user.keyboard("{Backspace}");
    await waitFor(() => expect(screen.queryByRole("row", { name: /github/ })).toBeNull());
    expect((await row("linear")).getAttribute("aria-selected")).toBe("true");
    await user.keyboard("{F8}");
    expect(document.activeElement?.textContent).toMatch(/^Undo/);
    await user.keyboard("{Enter}");
    const back = await row("github");
    await waitFor(() => expect(back.getAttribute("aria-selected")).toBe("true"));
    expect(document.activeElement).toBe(back);
  });
  it("is removed by no key that is pressed beside the list", async () => {
    const { user, host } = openApp("/servers?id=2&tab=roots");
    (await screen.findByRole("switch", { name: "Also share the folders for all servers with it" })).focus();
    await user.keyboard("{Backspace}");
    await screen.findByRole("row", { name: /github/ });
    expect(host.servers.length).toBe(10);
  });
  it("is removed by no key while nothing has the focus", async () => {
    const { user, host } = openApp("/servers?id=2");
    fireEvent.click(await row("linear"), { ctrlKey: true });
    expect(document.activeElement).toBe(document.body);
    await user.keyboard("{Backspace}");
    // Nor on the headings, or on a row that isn't open.
    within(await grid())
      .getByRole("button", { name: "Server" })
      .focus();
    await user.keyboard("{Backspace}{Escape}");
    (await row("linear")).focus();
    await user.keyboard("{Backspace}");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(host.servers.length).toBe(10);
  });
  it("is stopped and started by buttons with a word", async () => {
    const { user } = openApp("/servers?id=1");
    const pane = within(await screen.findByRole("complementary", { name: "Details of “filesystem”" }));
    const stop = await pane.findByRole("button", { name: "Stop" });
    expect(stop.textContent).toMatch(/^Stop/);
    const shapes = [stop.querySelector("svg")];
    await user.click(stop);
    expect((await pane.findAllByRole("button", { name: "Start" }))[0]?.textContent).toMatch(/^Start/);
    shapes.push(document.querySelector("[data-state-mark=stopped] svg"));
    // Neither is a square, which looks like an empty check box.
    expect(shapes.map((shape) => /lucide-[a-z-]+/.exec(shape?.getAttribute("class") ?? "")?.[0])).toEqual([
      "lucide-circle-stop",
      "lucide-circle-dashed",
    ]);
  });
  it("says what failed when a server is not removed", async () => {
    const { user, router } = openApp("/servers?id=6", "failed_remove_server");
    (await row("weather")).focus();
    await user.keyboard("{Backspace}");
    await screen.findByText("Couldn’t remove the server. The database reported: database is locked.");
    expect(router.state.location.search).toEqual({ id: 6 });
    expect(document.activeElement).toBe(await row("weather"));
  });
  it("stays open until it is known to be gone", async () => {
    const { user, host, router } = openApp("/servers?id=2");
    const { remove_server: remove } = host;
    let go = () => undefined as void;
    const held = new Promise<void>((resolve) => (go = resolve));
    let presses = 0;
    host.remove_server = async (args) => {
      presses += 1;
      return held.then(() => remove(args));
    };
    (await row("github")).focus();
    await user.keyboard("{Backspace}{Backspace}");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(router.state.location.search).toEqual({ id: 2 });
    go();
    await waitFor(() => expect(router.state.location.search).toEqual({ id: 4 }));
    const next = await row("linear");
    await waitFor(() => expect(document.activeElement).toBe(next));
    expect(presses).toBe(1);
  });
  it("offers three ways to the first server", async () => {
    const { user, host } = openApp("/servers", "empty");
    await screen.findByRole("button", { name: /Paste a configuration/ });
    screen.getByRole("button", { name: /Add by command or URL/ });
    screen.getByText(/run with your permissions/);
    await user.click(screen.getByRole("button", { name: /Start the demo server/ }));
    await waitFor(() => expect(host.servers.map((server) => server.name)).toEqual(["demo"]));
  });
  it("says why it cannot be shown", async () => {
    openApp("/servers", "broken");
    await screen.findByText("Couldn’t load the servers.");
    screen.getByText("The database reported: disk I/O error.");
  });
});

describe("adding a server", () => {
  // Requirements: SEC-05, SEC-06.
  it("shows the program and each argument, where it was found, and what a local server may do, before it is added", async () => {
    const { user, host } = openApp("/servers");
    await grid();
    await user.keyboard("n");
    const dialog = within(await screen.findByRole("dialog", { name: "Add server" }));
    dialog.getByText(/run with your permissions/);
    await user.type(dialog.getByRole("textbox", { name: "Command" }), 'npx -y @acme/lamps "two words"');
    await dialog.findByText("/home/ana/.local/share/mise/shims/npx");
    dialog.getByText("two words");
    expect(dialog.getByRole("textbox", { name: "Name" }).getAttribute("placeholder")).toBe("lamps");
    await user.keyboard("{Enter}");
    await waitFor(() =>
      expect(host.servers.at(-1)).toMatchObject({ name: "lamps", command: "npx", args: ["-y", "@acme/lamps", "two words"] }),
    );
  });
  it("sends nothing with the Enter that confirms a candidate of an input method", async () => {
    const { user, host } = openApp("/servers?add=command");
    const command = await screen.findByRole("textbox", { name: "Command" });
    await user.type(command, "npx lamps");
    fireEvent.keyDown(command, { key: "Enter", keyCode: 229 });
    await user.type(command, " dengta{Enter}");
    await waitFor(() => expect(host.servers.length).toBe(11));
    expect(host.servers.at(-1)).toMatchObject({ command: "npx", args: ["lamps", "dengta"] });
  });
  // Requirements: SEC-05, SEC-08.
  it("names what to look out for in the command, and characters in it that is invisible", async () => {
    const { user } = openApp("/servers?add=command");
    const dialog = within(await screen.findByRole("dialog", { name: "Add server" }));
    await user.type(dialog.getByRole("textbox", { name: "Command" }), "/bin/bash -c lamps\u200B | tee");
    const warnings = within(await dialog.findByRole("list", { name: "Warnings" }));
    await warnings.findByText("bash is a shell: it does whatever its arguments say.");
    warnings.getByText(/doesn’t use a shell, so this is passed on unchanged: .*\|/);
    dialog.getByText("U+200B");
  });
  it("says where it looked for a program that is not there", async () => {
    const { user } = openApp("/servers?add=command");
    await user.type(await screen.findByRole("textbox", { name: "Command" }), "nope");
    await screen.findByText("not found in the 5 folders searched");
  });
  it("says what is wrong with a program that is named by its place, and speaks of no folders then", async () => {
    const { user } = openApp("/servers?add=command");
    await user.type(await screen.findByRole("textbox", { name: "Command" }), "/opt/nope");
    await screen.findByText("/opt/nope doesn’t exist.");
    expect(screen.queryByText(/folders? searched/)).toBeNull();
    expect(screen.queryByText("Show folders")).toBeNull();
  });
  it("refuses a name that is taken and an address that is none, at the field", async () => {
    const { user, host } = openApp("/servers?add=url");
    await user.type(await screen.findByRole("textbox", { name: "URL" }), "ftp://x");
    await user.type(screen.getByRole("textbox", { name: "Name" }), "github");
    await user.click(screen.getByRole("button", { name: /Add and connect/ }));
    await screen.findByText("The URL must start with https:// or http://");
    screen.getByText("Name already used");
    expect(host.servers.length).toBe(10);
  });
  it("masks what looks like a secret until somebody asks", async () => {
    const { user } = openApp("/servers?id=3&tab=settings");
    const value = await screen.findByLabelText("Value of “DATABASE_URL”");
    expect(value.getAttribute("type")).toBe("password");
    expect(screen.getByLabelText("Value of “PGCONNECT_TIMEOUT”").getAttribute("type")).toBe("text");
    await user.click(screen.getByRole("button", { name: "Show value" }));
    expect(value.getAttribute("type")).toBe("text");
  });
});

describe("one server", () => {
  it("keeps the server's words in a frame with its name, with hidden characters spelled out", async () => {
    openApp("/servers?id=5");
    const frame = await screen.findByRole("group", { name: "docs-search" });
    expect(frame.textContent).toContain("U+202E");
    expect(frame.textContent).not.toContain("\u202E");
    expect(frame.closest("figure")?.querySelector("figcaption")?.textContent).toContain("docs-search");
  });
  it("says what happened, why, and the next step, and shows the evidence it points to", async () => {
    openApp("/servers?id=9");
    const details = within(await screen.findByRole("complementary", { name: "Details of “browser”" }));
    details.getByText("The server exited.");
    details.getByText(/he server ended before it answered \(exit code 3\)/);
    details.getByText("Its output usually says what is missing.");
    expect(details.getByText("Show details").closest("details")?.open).toBe(true);
  });
  it("is not stopped by a letter that chooses in its settings", async () => {
    const { user, host } = openApp("/servers?id=1&tab=settings");
    await user.click(await screen.findByText("Advanced"));
    const era = await screen.findByRole("combobox", { name: /^Protocol version/ });
    era.focus();
    await user.keyboard("s");
    expect(host.servers[0]?.state).toBe("ready");
  });
  it("that is stopped is started from its overview", async () => {
    const { user, host } = openApp("/servers?id=1");
    await row("filesystem");
    await user.keyboard("s");
    await user.click(within(await screen.findByRole("tabpanel")).getByRole("button", { name: "Start" }));
    await waitFor(() => expect(host.servers[0]?.state).toBe("starting"));
    expect(within(screen.getByRole("tabpanel")).queryByRole("button", { name: "Start" })).toBeNull();
  });
  it.each<["tools" | "resources" | "prompts", Scene]>([
    ["tools", "failed_list_tools"],
    ["resources", "failed_list_resources"],
    ["prompts", "failed_list_prompts"],
  ])("asks for its %s again where they could not be listed", async (tab, scene) => {
    const { user, host } = openApp(`/servers?id=1&tab=${tab}`, scene);
    const again = await screen.findByRole("button", { name: "Try again" });
    Object.assign(host, { scene: "usual" });
    await user.click(again);
    await waitFor(() => expect(screen.queryByText(`Couldn’t list the ${tab}.`)).toBeNull());
  });
  it("that lacks a sealed value leads to where it is entered; one that waits for the vault, to the vault", async () => {
    const { user, host, router } = openApp("/servers?id=6");
    await row("weather");
    host.fail(6, "vault_locked");
    await user.click(await screen.findByRole("button", { name: "Open vault…" }));
    await dialogWithKeyboard("Vault");
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    host.fail(6, "timeout");
    await user.click(await screen.findByRole("button", { name: "Open Settings" }));
    await waitFor(() => expect(router.state.location).toMatchObject({ search: { setting: "startTimeoutSeconds" } }));
    await router.navigate({ to: "/servers", search: { id: 6 } });
    host.fail(6, "definition_changed");
    const details = within(await screen.findByRole("complementary"));
    await details.findByText("The start command or connection changed since you approved it.");
    // Only one button, however many places mention it: `findBy` fails with two.
    await user.click(await details.findByRole("button", { name: "Review" }));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ tab: "trust" }));
    host.fail(6, "secret_missing");
    await router.navigate({ to: "/servers", search: { id: 6 } });
    await user.click(await screen.findByRole("button", { name: "Enter value" }));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ tab: "settings" }));
  });
  it("lists its tools with a way to the Workbench", async () => {
    // Tests have no layout, and a list that only draws visible rows needs a height.
    vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(1_000);
    vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(400);
    vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(88);
    const { user } = openApp("/servers?id=2&tab=tools");
    const link = await screen.findByRole("link", { name: /create_pull_request/ });
    expect(link.getAttribute("href")).toContain("/workbench?server=2&tool=create_pull_request");
    await user.type(screen.getByRole("textbox", { name: "Search tools" }), "merge");
    expect(screen.queryByRole("link", { name: /create_pull_request/ })).toBeNull();
  });
  // Requirements: LIFE-10.
  it("says how its revision was found out, what it can do, and which limits it ran into", async () => {
    const { user } = openApp("/servers?id=10", "offers");
    const details = within(await screen.findByRole("complementary", { name: "Details of “demo”" }));
    details.getByText("stdio");
    details.getByText("25 tools, 16 resources with updates, 4 prompts, completions, tasks, log messages, and 3 more");
    const steps = within(details.getByRole("region", { name: "Connection steps" })).getAllByRole("listitem");
    expect(steps.map((step) => step.textContent)).toEqual([
      "1server/discover12 msAnswered server/discover with error -32601.",
      "2initialize12 msAnswered, where 2025-11-25 was offered.",
    ]);
    const capabilities = within(details.getByRole("region", { name: "Capabilities" }));
    capabilities.getByText("subscriptions · list-change notifications");
    capabilities.getByText("com.acme/harbour");
    await user.click(capabilities.getByRole("button", { name: "Show JSON" }));
    capabilities.getByText('"acme.tides"');
    const limits = within(details.getByRole("region", { name: "Limits reached" }));
    expect(limits.getByText("Message size").closest("li")?.textContent).toContain("4 MiB3 times");
    limits.getByText("flood");
  });
  it("names the transport of old, and the era of each", async () => {
    const { router } = openApp("/servers?id=5", "offers");
    await screen.findByText("HTTP+SSE, deprecated");
    expect(within(screen.getByRole("region", { name: "Connection steps" })).getAllByRole("listitem").length).toBe(3);
    await router.navigate({ to: "/servers", search: { id: 2 } });
    await screen.findByText("Streamable HTTP, stateless");
  });
  it("lists its resources, templates and prompts with a way to the Workbench, and what is followed", async () => {
    const { user, host, router } = openApp("/servers?id=10&tab=resources", "offers");
    const link = await screen.findByRole("link", { name: /guide/ });
    expect(link.getAttribute("href")).toContain("resource=");
    expect(screen.getByRole("link", { name: /berths-of-city/ }).getAttribute("href")).toContain("template=");
    const skills = within(screen.getByRole("region", { name: "Skills" }));
    const skill = skills.getByRole("link", { name: /night-entry/ });
    expect(skill.getAttribute("href")).toContain(`resource=${encodeURIComponent("demo://skills/night-entry/SKILL.md")}`);
    skills.getByRole("link", { name: /weather-window.*dynamic.*1.*Find the hours/ });
    expect(skill.textContent).toContain("3 files");
    skills.getByText(/Dynamic skills have no list of files/);
    skills.getByText("doesn’t end in the skill’s name");
    await user.type(screen.getByRole("textbox", { name: "Search resources" }), "gate.yaml");
    expect(screen.queryByRole("link", { name: /guide/ })).toBeNull();
    await host.subscribe_resource({ id: 10, uri: "demo://harbour/weather" });
    host.live.update(10, "demo://harbour/weather");
    const followed = within(await screen.findByRole("region", { name: "Subscriptions" }));
    followed.getByText(/^1 update, /);
    await user.click(followed.getByRole("button", { name: "Unsubscribe from demo://harbour/weather" }));
    await waitFor(() => expect(screen.queryByRole("region", { name: "Subscriptions" })).toBeNull());
    await router.navigate({ to: "/servers", search: { id: 10, tab: "prompts" } });
    const prompt = await screen.findByRole("link", { name: /passage_plan/ });
    expect(prompt.textContent).toContain("from to [tone]");
    expect(prompt.getAttribute("href")).toContain("prompt=passage_plan");
    await router.navigate({ to: "/servers", search: { id: 5, tab: "prompts" } });
    await screen.findByText("This server has no prompts.");
    await router.navigate({ to: "/servers", search: { id: 6, tab: "resources" } });
    await screen.findByText("Resources appear here once the server is ready.");
  });
  it("is not said to start where it is stopped", async () => {
    const { user, host } = openApp("/servers?id=1&tab=settings");
    await screen.findByRole("button", { name: "Save and restart" });
    await user.keyboard("s");
    await waitFor(() => expect(host.servers[0]?.state).toBe("stopped"));
    await user.click(await screen.findByText("Advanced"));
    await user.type(screen.getByRole("textbox", { name: /Working folder/ }), "/srv");
    await user.click(await screen.findByRole("button", { name: "Save" }));
    await screen.findByText("Saved");
  });
  // Requirements: ERA-24.
  it("offers only the eras that its transport can have", async () => {
    const { user, host } = openApp("/servers?id=2&tab=settings");
    await user.click(await screen.findByText("Advanced"));
    await user.click(screen.getByRole("combobox", { name: "Protocol version" }));
    expect((await screen.findAllByRole("option")).map((option) => option.textContent)).toEqual([
      "Automatic",
      "2026-07-28 (stateless)",
      "2025-11-25 or earlier",
      "2024-11-05 (HTTP+SSE)",
    ]);
    await user.click(screen.getByRole("option", { name: "2024-11-05 (HTTP+SSE)" }));
    await screen.findByText(/^Mooring tries only this deprecated transport$/);
    await user.click(screen.getByRole("button", { name: "Save and restart" }));
    await waitFor(() => expect(host.servers.find((server) => server.id === 2)?.era).toBe("sse"));
  });
  it("is changed only when something changed and everything is right", async () => {
    const { user, host } = openApp("/servers?id=1&tab=settings");
    const save = await screen.findByRole("button", { name: "Save and restart" });
    expect(save).toHaveProperty("disabled", true);
    const name = screen.getByRole("textbox", { name: "Name" });
    await user.clear(name);
    await user.type(name, "github");
    await screen.findByText("Name already used");
    expect(save).toHaveProperty("disabled", true);
    await user.clear(name);
    await user.type(name, "files");
    // A new name needs no restart.
    expect(save.textContent).toContain("Save");
    expect(save.textContent).not.toContain("restart");
    await user.click(save);
    await screen.findByText("Saved");
    await waitFor(() =>
      expect(host.servers[0]).toMatchObject({
        name: "files",
        args: ["-y", "@modelcontextprotocol/server-filesystem", "/home/ana/projects"],
        env: { LOG_LEVEL: "info" },
      }),
    );
  });
});
