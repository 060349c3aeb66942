// Actions on several servers of the list.
import "@/features/servers/servers-screen";
import type { Scene } from "@dev/mock/scenes";
import { openApp } from "@dev/render";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { forgetWidths, keepWidth } from "@/lib/columns";
import { afterEach, describe, expect, it } from "vitest";

const row = (name: string) => screen.findByRole("row", { name: new RegExp(`^${name}`) });
const bar = () => screen.findByRole("region", { name: "Selected servers" });
const press = async (name: string) => fireEvent.click(within(await bar()).getByRole("button", { name }));
const isPicked = (item: HTMLElement) => within(item).queryByRole("checkbox", { hidden: true })?.getAttribute("aria-checked") === "true";
const picked = () =>
  screen
    .getAllByRole("row")
    .filter(isPicked)
    .map((item) => item.querySelector("td b")?.textContent);
const says = (text: string | RegExp) => within(screen.getByRole("region", { name: /F8/ })).findByText(text);

/** Opens the list with these servers selected. */
async function open(names: readonly string[], scene: Scene = "usual") {
  const app = openApp("/servers?id=1", scene);
  for (const name of names) fireEvent.click(await row(name), { ctrlKey: true });
  const stateOf = (name: string) => app.host.servers.find((server) => server.name === name)?.state;
  return { ...app, stateOf };
}

afterEach(() => {
  window.happyDOM?.setViewport({ width: 1280, height: 800 });
});

describe("selecting servers", () => {
  it("takes Ctrl click, which opens nothing, and ends with Escape", async () => {
    const { user, router } = await open(["github", "weather"]);
    expect(picked()).toEqual(["github", "weather"]);
    expect(router.state.location.search).toEqual({ id: 1 });
    expect((await bar()).textContent).toContain("2 selected");
    fireEvent.click(await row("github"), { ctrlKey: true });
    expect((await bar()).textContent).toContain("1 selected");
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("region", { name: "Selected servers" })).toBeNull());
  });
  it("takes Shift click, from the server that is open to this one", async () => {
    await open([]);
    fireEvent.click(await row("git\\b"), { shiftKey: true });
    expect(picked()).toEqual(["filesystem", "postgres-prod", "git"]);
    fireEvent.click(await row("postgres-prod"), { shiftKey: true });
    expect(picked()).toEqual(["filesystem", "postgres-prod"]);
  });
  it("takes Shift with the arrows, Space, X and Ctrl A", async () => {
    const { user } = await open([]);
    (await row("filesystem")).focus();
    await user.keyboard("{Shift>}{ArrowDown}{ArrowDown}{/Shift}");
    await waitFor(() => expect(picked()).toEqual(["filesystem", "postgres-prod", "git"]));
    await user.keyboard("{Shift>}{ArrowUp}{/Shift}");
    await waitFor(() => expect(picked()).toEqual(["filesystem", "postgres-prod"]));
    await user.keyboard("{Escape} ");
    await waitFor(() => expect(picked()).toEqual(["postgres-prod"]));
    await user.keyboard("x");
    await waitFor(() => expect(picked()).toEqual([]));
    await user.keyboard("{Control>}a{/Control}");
    expect(picked().length).toBe(10);
  });
  it("takes Ctrl A, and keys for what is selected, only in the list", async () => {
    const { user, stateOf } = await open(["github", "docs-search"]);
    (await screen.findByRole("tab", { name: "Overview" })).focus();
    await user.keyboard("{Control>}a{/Control}");
    expect(picked()).toEqual(["github", "docs-search"]);
    await user.keyboard("s");
    await waitFor(() => expect(stateOf("filesystem")).toBe("stopped"));
    expect([stateOf("docs-search"), picked()]).toEqual(["degraded", ["github", "docs-search"]]);
    (document.activeElement as HTMLElement).blur();
    await user.keyboard("{Control>}a{/Control}");
    expect(picked()).toEqual(["github", "docs-search"]);
    (await row("github")).focus();
    await user.keyboard("s");
    await waitFor(() => expect(stateOf("docs-search")).toBe("stopped"));
  });
  it("leaves Ctrl A in the filter to its text", async () => {
    const { user } = await open([]);
    await row("github");
    await user.keyboard("/git{Control>}a{/Control}");
    expect(picked()).toEqual([]);
  });
  it("takes a checkbox that comes under the pointer; a click opens the details as ever", async () => {
    const { user, router } = await open([]);
    const github = await row("github");
    expect(within(github).queryByRole("checkbox")).toBeNull();
    await user.hover(github);
    fireEvent.click(within(github).getByRole("checkbox", { name: "Select “github”" }));
    expect(picked()).toEqual(["github"]);
    expect(router.state.location.search).toEqual({ id: 1 });
    await user.click(await row("weather"));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ id: 6 }));
    expect(picked()).toEqual(["github"]);
  });
  it("leaves what the filter hides alone", async () => {
    const { user, stateOf } = await open(["github", "filesystem"]);
    await user.keyboard("/github");
    await waitFor(async () => expect((await bar()).textContent).toContain("1 selected"));
    await press("Stop 1");
    await waitFor(() => expect(stateOf("github")).toBe("stopped"));
    expect(stateOf("filesystem")).toBe("ready");
  });
});

describe("what can be done with them", () => {
  afterEach(forgetWidths);
  it.each([
    [700, "last"],
    [480, "first"],
  ])("keeps its words in a list of %i px, where the way out is %s", async (width, place) => {
    keepWidth("several", width);
    await open(["filesystem", "docs-search"]);
    const buttons = within(await bar()).getAllByRole("button");
    expect(buttons.map(({ textContent }) => textContent).filter((words) => words !== "")).toEqual([
      "Stop 2",
      "Restart 2",
      "Approve…",
      "Remove 2",
    ]);
    expect(buttons.at(place === "last" ? -1 : 0)?.getAttribute("aria-label")).toBe("Clear selection");
  });
});

describe("several servers", () => {
  it("are stopped together, those that run, and started again by one undo", async () => {
    const { user, stateOf } = await open(["filesystem", "docs-search", "demo"]);
    within(await bar()).getByRole("button", { name: "Start 1" });
    await press("Stop 2");
    await says("2 servers were stopped");
    expect([stateOf("filesystem"), stateOf("docs-search"), stateOf("demo")]).toEqual(["stopped", "stopped", "stopped"]);
    expect(picked()).toEqual([]);
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect([stateOf("filesystem"), stateOf("docs-search")]).toEqual(["starting", "starting"]));
    expect(stateOf("demo")).toBe("stopped");
  });
  it("are removed together, and come back by one undo with what was open", async () => {
    const { user, host, router } = await open(["filesystem", "postgres-prod"]);
    (await row("filesystem")).focus();
    await user.keyboard("{Backspace}");
    await says("2 servers were stopped and removed");
    expect(host.servers.length).toBe(8);
    expect(router.state.location.search).toMatchObject({ id: 8 });
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(host.servers.length).toBe(10));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ id: 1 }));
  });
  it("that can't be removed stay open, with the reason", async () => {
    const { host, router } = await open(["filesystem", "postgres-prod"]);
    const { remove_server: remove } = host;
    host.remove_server = async ({ id }) =>
      id === 1 ? Promise.reject({ code: "internal", message: "it is busy", details: null }) : remove({ id });
    await press("Remove 2");
    await says(/^“postgres-prod” was stopped and removed\. Couldn’t remove “filesystem”\. /);
    expect(host.servers.length).toBe(9);
    expect(router.state.location.search).toEqual({ id: 1 });
  });
  it("come back where the person is, once they went elsewhere", async () => {
    const { user, host, router } = await open(["filesystem", "postgres-prod"]);
    await press("Remove 2");
    await says("2 servers were stopped and removed");
    await router.navigate({ to: "/models" });
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(host.servers.length).toBe(10));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(router.state.location.pathname).toBe("/models");
  });
  it("open nothing that could not be brought back", async () => {
    const { user, host, router } = await open(["filesystem", "postgres-prod"]);
    await press("Remove 2");
    await says("2 servers were stopped and removed");
    const { restore_server: restore } = host;
    host.restore_server = async ({ id }) =>
      id === 1 ? Promise.reject({ code: "internal", message: "it is busy", details: null }) : restore({ id });
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(host.servers.length).toBe(9));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(router.state.location.search).toMatchObject({ id: 8 });
  });
  it("that were selected meanwhile stay so, and the focus where it is", async () => {
    const { host, stateOf } = await open(["filesystem", "docs-search"]);
    const { stop_server: stop } = host;
    let go = () => undefined as void;
    const held = new Promise<void>((resolve) => (go = resolve));
    host.stop_server = async (args) => held.then(() => stop(args));
    within(await bar())
      .getByRole("button", { name: "Stop 2" })
      .focus();
    await press("Stop 2");
    fireEvent.click(await row("github"), { ctrlKey: true });
    const filter = screen.getByRole("textbox", { name: "Filter" });
    filter.focus();
    go();
    await waitFor(() => expect(picked()).toEqual(["github"]));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect([stateOf("filesystem"), document.activeElement]).toEqual(["stopped", filter]);
  });
  it("that failed are named with the reason, and stay selected", async () => {
    const { host } = await open(["filesystem", "docs-search"]);
    const { stop_server: stop } = host;
    host.stop_server = async ({ id }) =>
      id === 5 ? Promise.reject({ code: "internal", message: "it is busy", details: null }) : stop({ id });
    await press("Stop 2");
    await says(/^“filesystem” was stopped\. Couldn’t stop “docs-search”\. /);
    expect(picked()).toEqual(["docs-search"]);
  });
  it("are not asked about again once others are selected", async () => {
    const { user } = await open(["github"], "trust_new");
    const box = within(await row("github")).getByRole("checkbox", { hidden: true });
    await press("Approve…");
    await screen.findByRole("dialog", { name: "Approve everything new?" });
    fireEvent.click(box);
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    fireEvent.click(await row("filesystem"), { ctrlKey: true });
    await bar();
    expect(screen.queryByRole("dialog")).toBeNull();
    await user.keyboard("{Escape}");
  });
  it("are approved together after one question, and back by undo", async () => {
    const { user, host } = await open(["github", "filesystem"], "trust_new");
    const fresh = () => Promise.all([1, 2].map(async (id) => (await host.get_server({ id })).review.new));
    const [first = 0, second = 0] = await fresh();
    expect(first + second).toBeGreaterThan(0);
    await press("Approve…");
    const dialog = within(await screen.findByRole("dialog", { name: "Approve everything new?" }));
    const yes = await dialog.findByRole("button", { name: /^Approve \d+ items?$/ });
    await waitFor(() => expect(yes).toHaveProperty("disabled", false), { timeout: 5_000 });
    await user.click(yes);
    const undo = await screen.findByRole("button", { name: "Undo" });
    expect((await fresh()).reduce((sum, count) => sum + count, 0)).toBeLessThan(first + second);
    await user.click(undo);
    await waitFor(async () => expect(await fresh()).toEqual([first, second]));
  });
  it("that failed for the same reason are tried again together", async () => {
    const { host } = await open([]);
    for (const id of [8, 3]) host.fail(id, "command_not_found");
    const details = () => screen.findByRole("complementary", { name: "Details of “git”" });
    fireEvent.click(await row("git "));
    await within(await details()).findByText("“postgres-prod” failed for the same reason.");
    fireEvent.click(within(await details()).getByRole("button", { name: "Try all 2 again" }));
    await says("Restarting 2 servers");
    await waitFor(() =>
      expect(host.servers.filter(({ id }) => id === 8 || id === 3).map(({ state }) => state)).toEqual(["starting", "starting"]),
    );
  });
});
