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
  await app.user.keyboard("{Control>}k{/Control}");
  await list();
  return app;
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
    await user.click(await screen.findByRole("option", { name: /^Paste configuration/ }));
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
