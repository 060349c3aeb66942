import "@/features/activity/activity-screen";
import { openApp } from "@dev/render";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { showOverlay } from "@/lib/overlays";

const list = () => screen.findByRole("listbox", { name: "Results" });
const chosen = async () => within(await list()).getByRole("option", { selected: true }).textContent;

async function open() {
  const app = openApp("/activity");
  await screen.findByRole("main", { name: "Activity" });
  await waitFor(() => expect(screen.getAllByText("github").length).toBeGreaterThan(0));
  await search(app.user);
  return app;
}

/** Opens the palette, and types once it has the focus. */
async function search(user: ReturnType<typeof openApp>["user"], text?: string) {
  await user.keyboard("{Control>}k{/Control}");
  await waitFor(() => expect(document.activeElement?.getAttribute("role")).toBe("combobox"));
  if (text !== undefined) await user.keyboard(text);
}

afterEach(() => showOverlay(null));

describe("the palette", () => {
  it("leads to a server's sign-in, and begins it where it is needed", async () => {
    const { user, router, host } = await open();
    await user.keyboard("sign in linear");
    expect(await chosen()).toMatch(/^Sign in to “linear”/);
    await user.keyboard("{Enter}");
    await waitFor(() => expect(router.state.location.search).toMatchObject({ id: 4, tab: "sign_in" }));
    expect(host.sent.filter((item) => item.name === "begin_sign_in").length).toBe(1);
  });
  it("opens what can be done about the vault", async () => {
    const { user } = await open();
    await user.keyboard("unlock");
    expect(await chosen()).toMatch(/^Manage vault/);
    await user.keyboard("{Enter}");
    await screen.findByRole("dialog", { name: "Vault" });
  });
  it("opens by keyboard with the field ready, offers places first, and closes with Escape", async () => {
    const { user } = await open();
    expect(document.activeElement).toBe(screen.getByRole("combobox", { name: "Search or run" }));
    expect(await chosen()).toMatch(/^Inbox/);
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("listbox")).toBeNull();
  });

  it("runs nothing with the Enter that confirms a candidate of an input method", async () => {
    await open();
    fireEvent.keyDown(screen.getByRole("combobox", { name: "Search or run" }), { key: "Enter", keyCode: 229 });
    await list();
  });

  it("opens a way of adding a server over what the Servers screen shows", async () => {
    const { user, router } = openApp("/servers?id=3");
    await screen.findByRole("grid", { name: "Servers" });
    await user.keyboard("{Control>}k{/Control}");
    await list();
    await user.keyboard("paste");
    await user.click(await screen.findByRole("option", { name: /^Paste a configuration/ }));
    await waitFor(() => expect(router.state.location.search).toEqual({ id: 3, add: "import" }));
  });

  it("goes to a place with arrows and Enter", async () => {
    const { user, router } = await open();
    await user.keyboard("{ArrowDown}{ArrowDown}{ArrowDown}{ArrowDown}");
    expect(await chosen()).toMatch(/^Activity/);
    await user.keyboard("{Enter}");
    await waitFor(() => expect(router.state.location.pathname).toBe("/activity"));
    expect(screen.queryByRole("listbox")).toBeNull();
  });

  it.each([
    ["policies", /^Policies/, "/policies", {}],
    ["roots", /^Folders for all servers/, "/settings", { section: "folders" }],
    ["notifications", /^Notifications/, "/settings", { section: "notifications" }],
    ["density", /^Density/, "/settings", { section: "appearance", setting: "density" }],
    ["idle timeout", /^Idle timeout/, "/settings", { section: "limits", setting: "requestIdleSeconds" }],
  ] as const)("leads to policies, a section or a setting: %s", async (typed, name, pathname, search) => {
    const { user, router } = await open();
    await user.keyboard(typed);
    await user.click(await screen.findByRole("option", { name }));
    await waitFor(() => expect(router.state.location).toMatchObject({ pathname, search }));
  });

  it("finds a tool of a ready server and opens it in the Workbench", async () => {
    const { user, router } = await open();
    await user.keyboard("list_tables");
    await waitFor(async () => expect(await chosen()).toMatch(/^list_tables/));
    await user.keyboard("{Enter}");
    await waitFor(() => expect(router.state.location.pathname).toBe("/workbench"));
    expect(router.state.location.search).toMatchObject({ tool: "list_tables" });
  });

  it("finds a resource, a template and a prompt, and opens them in the Workbench", async () => {
    const { user, router } = openApp("/activity", "offers");
    await screen.findByRole("main", { name: "Activity" });
    for (const [typed, title, search] of [
      ["fog horn", /^fog horn/, { resource: "demo://harbour/horn.wav" }],
      ["berths-of-city", /^demo:\/\/berths/, { template: "demo://berths/{city}{?from,to}" }],
      ["passage_plan", /^passage_plan/, { prompt: "passage_plan" }],
    ] as const) {
      await user.keyboard("{Control>}k{/Control}");
      await list();
      await user.keyboard(typed);
      await waitFor(async () => expect(await chosen()).toMatch(title));
      await user.keyboard("{Enter}");
      await waitFor(() => expect(router.state.location.search).toEqual({ server: 10, ...search }));
    }
  });

  it("stops a server", async () => {
    const { user, host } = await open();
    await user.keyboard("stop filesystem");
    await waitFor(async () => expect(await chosen()).toBe("Stop “filesystem”"));
    await user.keyboard("{Enter}");
    await waitFor(() => expect(host.servers.find((server) => server.name === "filesystem")?.state).toBe("stopped"));
  });

  it("changes the theme and remembers the choice as recent", async () => {
    const { user } = await open();
    await user.keyboard("dark");
    await waitFor(async () => expect(await chosen()).toMatch(/^Theme: dark/));
    await user.keyboard("{Enter}");
    await waitFor(() => expect(document.documentElement.dataset["theme"]).toBe("dark"));
    await user.keyboard("{Control>}k{/Control}");
    const recent = within(await list()).getByRole("group", { name: "Recent" });
    expect(recent.textContent).toMatch(/Theme: dark.*current/);
  });

  it("offers to search the events for anything", async () => {
    const { user, router } = await open();
    await user.keyboard("lamp 14");
    await user.click(await screen.findByRole("option", { name: /Search Activity for “lamp 14”/ }));
    await waitFor(() => expect(router.state.location.search).toEqual({ text: "lamp 14" }));
  });
});

describe("what can be done with a hit", () => {
  const title = async () => (await screen.findByRole("combobox")).getAttribute("aria-label");
  const options = async () => within(await list()).getAllByRole("option");
  const names = async () => (await options()).map((option) => option.textContent);
  const list = () => screen.findByRole("listbox");

  it("is one → away for a server, and ← , Backspace and Escape lead back", async () => {
    const { user } = await open();
    await user.keyboard("filesystem");
    await waitFor(async () => expect(await chosen()).toMatch(/filesystem/));
    for (const back of ["{ArrowLeft}", "{Backspace}", "{Escape}"]) {
      await user.keyboard("{ArrowRight}");
      await waitFor(async () => expect(await title()).toBe("Actions for “filesystem”"));
      expect(document.activeElement).toBe(screen.getByRole("combobox"));
      await user.keyboard(back);
      await waitFor(async () => expect(await title()).toBe("Search or run"));
      expect(screen.getByRole("combobox")).toHaveProperty("value", "filesystem");
    }
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("combobox")).toBeNull());
  });
  it("restarts, stops and opens the settings of a server", async () => {
    const { user, host, router } = await open();
    await user.keyboard("filesystem{ArrowRight}");
    await waitFor(async () => expect(await names()).toEqual(["Open in Workbench", "Show in Activity", "Settings", "Restart", "Stop"]));
    await user.keyboard("settings{Enter}");
    await waitFor(() => expect(router.state.location).toMatchObject({ pathname: "/servers", search: { id: 1, tab: "settings" } }));
    await search(user, "filesystem{ArrowRight}");
    await waitFor(async () => expect(await title()).toBe("Actions for “filesystem”"));
    await user.keyboard("stop{Enter}");
    await waitFor(() => expect(host.servers.find(({ id }) => id === 1)?.state).toBe("stopped"));
  });
  it.each([
    ["github", "Answer", { pathname: "/inbox" }],
    ["linear", "Sign in", { pathname: "/servers", search: { id: 4, tab: "sign_in" } }],
    ["weather", "Review change", { pathname: "/servers", search: { id: 6, tab: "trust" } }],
  ] as const)("begins with what the state of %s asks: %s", async (name, first, location) => {
    const { user, router } = await open();
    await user.keyboard(`${name}{ArrowRight}`);
    await waitFor(async () => expect((await names())[0]).toBe(first));
    expect((await names()).slice(-2)).toEqual(["Restart", "Stop"]);
    expect((await options())[0]?.getAttribute("aria-selected")).toBe("true");
    await user.keyboard("{Enter}");
    await waitFor(() => expect(router.state.location).toMatchObject(location));
  });
  it("begins with a start where the server is stopped", async () => {
    const { user } = await open();
    await user.keyboard("demo{ArrowRight}");
    await waitFor(async () => expect((await names())[0]).toBe("Start"));
    expect(await names()).not.toContain("Stop");
  });
  it("is not taken from the text: → moves in it until its end", async () => {
    const { user } = await open();
    await user.keyboard("filesystem{Home}{ArrowRight}");
    expect(await title()).toBe("Search or run");
  });
  it("copies the command of a tool, and switches it off", async () => {
    const { user, host } = await open();
    await user.keyboard("list_tables");
    await waitFor(async () => expect(await chosen()).toMatch(/^list_tables/));
    await user.keyboard("{ArrowRight}copy{Enter}");
    await waitFor(async () => expect(await navigator.clipboard.readText()).toBe("mooring call list_tables --server postgres-prod"));
    await search(user, "list_tables");
    await waitFor(async () => expect(await chosen()).toMatch(/^list_tables/));
    await user.keyboard("{ArrowRight}");
    await user.click(await screen.findByRole("option", { name: /^Turn off/ }));
    await waitFor(async () =>
      expect((await host.list_rules()).some(({ rule }) => rule.effect === "deny" && rule.tool === "list_tables")).toBe(true),
    );
  });
  it("switches a tool in place of its own rule, says so, and undoes it", async () => {
    const { user, host } = openApp("/activity", "no_rules");
    await screen.findByRole("main", { name: "Activity" });
    const ask = { effect: "ask", server: 1, tool: "get_issue", caller: null, destructiveOnly: false, expiresAt: null } as const;
    await host.policies.save(null, { ...ask, arguments: [] });
    const effects = () => host.policies.rules.map(({ rule }) => rule.effect);
    await search(user, "get_issue");
    await waitFor(async () => expect(await chosen()).toMatch(/^get_issue/));
    await user.keyboard("{ArrowRight}");
    await user.click(await screen.findByRole("option", { name: /^Turn off/ }));
    await screen.findByText("“get_issue” is off");
    expect(effects()).toEqual(["deny"]);
    await user.click(screen.getByRole("button", { name: /^Undo/ }));
    await waitFor(() => expect(effects()).toEqual(["ask"]));
  });
  it("puts typed arguments beside what the Workbench has", async () => {
    const { user } = openApp("/workbench?server=10&tool=add", "offers");
    await user.type(await screen.findByRole("textbox", { name: "a" }), "7");
    await search(user, "add");
    await waitFor(async () => expect(await chosen()).toMatch(/^add/));
    await user.keyboard("{ArrowRight}run with{Enter}");
    const form = within(await screen.findByRole("form", { name: "Arguments of “add”" }));
    await user.type(form.getByLabelText(/^b/), "5{Enter}");
    // Until it is closed, the palette has fields with the same names.
    await waitFor(() => expect(screen.queryByRole("form", { name: "Arguments of “add”" })).toBeNull());
    await waitFor(() => expect(screen.getByRole("textbox", { name: "b" })).toHaveProperty("value", "5"));
    expect(screen.getByRole("textbox", { name: "a" })).toHaveProperty("value", "7");
  });
  it("takes a tool's arguments, and the Workbench has them filled in", async () => {
    const { user, router } = await open();
    await user.keyboard("explain");
    await waitFor(async () => expect(await chosen()).toMatch(/^explain/));
    await user.keyboard("{ArrowRight}run with{Enter}");
    const form = within(await screen.findByRole("form", { name: "Arguments of “explain”" }));
    expect(document.activeElement).toBe(form.getByLabelText(/^sql/));
    form.getByRole("combobox", { name: /^analyze/ });
    await user.keyboard("SELECT 1{Enter}");
    await waitFor(() => expect(router.state.location).toMatchObject({ pathname: "/workbench", search: { server: 3, tool: "explain" } }));
    expect(await screen.findByRole("textbox", { name: /^sql/ })).toHaveProperty("value", "SELECT 1");
    // It waits for the person there.
    screen.getByRole("button", { name: /^Run/ });
    expect(screen.queryByRole("button", { name: /^Cancel/ })).toBeNull();
  });
  it("goes back from a tool's arguments to its actions with Escape", async () => {
    const { user } = await open();
    await user.keyboard("explain");
    await waitFor(async () => expect(await chosen()).toMatch(/^explain/));
    await user.keyboard("{ArrowRight}run with{Enter}");
    await screen.findByRole("form", { name: "Arguments of “explain”" });
    await user.keyboard("{Escape}");
    await waitFor(async () => expect(await title()).toBe("Actions for “explain”"));
    expect(document.activeElement).toBe(screen.getByRole("combobox"));
  });
  it("leads to how an app is connected", async () => {
    const { user, router } = await open();
    await user.keyboard("cursor");
    await user.keyboard("{ArrowRight}");
    await user.click(await screen.findByRole("option", { name: "Connect…" }));
    await waitFor(() => expect(router.state.location).toMatchObject({ pathname: "/apps", search: { id: "cursor" } }));
  });
  it("counts as a use of the tool, which is offered first next time", async () => {
    const { user } = await open();
    await user.keyboard("list_tables");
    await waitFor(async () => expect(await chosen()).toMatch(/^list_tables/));
    await user.keyboard("{ArrowRight}copy{Enter}");
    await user.keyboard("{Control>}k{/Control}");
    await waitFor(async () => expect(await chosen()).toMatch(/^list_tables/));
  });
});
