// Connecting an app: what is approved with it, the next steps, and its state afterwards.
import "@/features/apps/apps-screen";
import "@/features/servers/review/review-screen";
import { dialogWithKeyboard, openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import type { TrustView } from "@/ipc/bindings/TrustView";

type App = ReturnType<typeof openApp>;
const row = (name: RegExp) => screen.findByRole("row", { name });
const details = async (name: string) => within(await screen.findByRole("complementary", { name: `App details: ${name}` }));
const approvals = ({ host }: App) => host.sent.filter(({ name }) => name === "approve_trust");

/** The questions when connecting Cursor. */
async function connecting({ user }: App) {
  await user.click((await details("Cursor")).getByRole("button", { name: "Connect…" }));
  const dialog = within(await dialogWithKeyboard("Connect “Cursor”"));
  return { dialog, gets: within(await dialog.findByRole("region", { name: "What the app gets" })) };
}
const lead = async () => within(await screen.findByRole("dialog", { name: "Almost done: restart “Cursor”" }));

/** Approves everything new, and connects. */
async function approveAll({ user }: App, { dialog, gets }: Awaited<ReturnType<typeof connecting>>) {
  await user.click(await gets.findByRole("radio", { name: "Approve all" }));
  await user.click(dialog.getByRole("button", { name: /^Approve \d+ and connect$/ }));
}

/** Changes the servers' items before they are read. */
function change({ host }: App, to: (item: TrustView["items"][number]) => TrustView["items"][number]) {
  const read = host.get_trust.bind(host);
  host.get_trust = async (args) => {
    const view = await read(args);
    return { ...view, items: view.items.map(to) };
  };
}

describe("connecting an app", () => {
  it.each(["Done", "Escape"])("leaves the keyboard on its row after %s", async (way) => {
    const app = openApp("/apps?id=cursor&open=true");
    await approveAll(app, await connecting(app));
    const done = (await lead()).getByRole("button", { name: "Done" });
    if (way === "Done") await app.user.click(done);
    else await app.user.keyboard("{Escape}");
    const cursor = await row(/^Cursor/);
    await waitFor(() => expect(document.activeElement).toBe(cursor));
    expect(cursor.getAttribute("aria-selected")).toBe("true");
  });
  it("is offered once, in the box that says how the app stands", async () => {
    openApp("/apps?id=cursor&open=true");
    const app = await details("Cursor");
    const [button, ...others] = app.getAllByRole("button", { name: "Connect…" });
    expect(others).toEqual([]);
    expect(button?.closest("[role=alert]")?.textContent).toContain("Not connected to Mooring");
    expect(screen.queryByRole("button", { name: "Disconnect…" })).toBeNull();
  });
  it("is begun in its row too, which has the keyboard afterwards", async () => {
    const app = openApp("/apps?id=claude-code");
    const button = within(await row(/^Cursor/)).getByRole("button", { name: "Connect" });
    button.focus();
    await app.user.keyboard("{Enter}");
    const dialog = within(await dialogWithKeyboard("Connect “Cursor”"));
    await app.user.click(dialog.getByRole("button", { name: "Not now" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    const cursor = await row(/^Cursor/);
    expect(cursor.getAttribute("aria-selected")).toBe("true");
    await waitFor(() => expect(cursor.contains(document.activeElement)).toBe(true));
  });
  it("shows the tools by server before they are approved", async () => {
    const app = openApp("/apps?id=cursor&open=true", "apps_unapproved");
    change(app, (item) => ({ ...item, state: "new", hidden: [], approvedAt: null }));
    const { gets } = await connecting(app);
    await app.user.click(await gets.findByText("See the tools by server"));
    const [server] = gets.getAllByRole("button", { name: /^filesystem \d+, \d+ new$/ });
    if (!server) throw new Error("no server");
    await app.user.click(server);
    const count = Number(/\d+/.exec(server.textContent)?.[0]);
    expect(within(gets.getByRole("list", { name: "filesystem" })).getAllByRole("listitem")).toHaveLength(count);
  });
  it("counts no tool that is off for the app or of use to none, and says so", async () => {
    const app = openApp("/apps?id=cursor&open=true");
    const { id } = app.host.servers.find(({ name }) => name === "filesystem") ?? { id: 0 };
    const [off, unusable] = (await app.host.list_tools({ id, refresh: false })).tools.map(({ name }) => name);
    change(app, (item) =>
      item.name === unusable && item.state === "approved"
        ? { ...item, forApps: { leftOut: true, why: { code: "", params: {}, text: "" } } }
        : item,
    );
    app.host.apps.setOff({ id: "cursor", off: [{ server: id, tool: off ?? "" }] });
    const { gets } = await connecting(app);
    await gets.findByText("Not counted: 1 turned off here, 1 that apps can’t use, and 22 of servers that don’t run now.");
  });
  it("says which apps have the tools now, the connected one first, with a way back", async () => {
    const app = openApp("/apps?id=cursor&open=true");
    await approveAll(app, await connecting(app));
    const withdraw = vi.spyOn(app.host, "withdraw_trust");
    const said = await screen.findByText(/^\d+ tools? now in “Cursor”, “Claude Code”, and “pier-bot”$/);
    await app.user.click((await lead()).getByRole("button", { name: "Done" }));
    await app.user.click(within(said.closest("li") ?? document.body).getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(withdraw).toHaveBeenCalled());
  });
  it("names no app that is kept from the tools", async () => {
    const app = openApp("/apps?id=cursor&open=true");
    const off = app.host.servers.map(({ id }) => ({ server: id, tool: null }));
    for (const id of ["claude-code", "pier-bot"]) app.host.apps.setOff({ id, off });
    await approveAll(app, await connecting(app));
    await screen.findByText(/^\d+ tools? now in “Cursor”$/);
  });
  it("says of how many servers it isn’t known yet what the app gets", async () => {
    const app = openApp("/apps?id=cursor&open=true");
    const { gets } = await connecting(app);
    const ready = app.host.servers.filter(({ state, toolCount }) => state === "ready" && toolCount !== null);
    for (const { id, state } of app.host.servers)
      if (state === "starting" || state === "reconnecting") app.host.change(id, { state: "failed" });
    await waitFor(() => expect(gets.queryByText(/ready yet/)).toBeNull());
    const [one, other] = ready;
    app.host.change(one?.id ?? 0, { toolCount: null });
    await gets.findByText(/^Left for To review: 1 server that isn’t ready yet/);
    app.host.change(other?.id ?? 0, { state: "starting" });
    await gets.findByText(/^Left for To review: 2 servers that aren’t ready yet/);
  });
  it("says of what kinds that is which isn’t approved", async () => {
    const app = openApp("/apps?id=cursor&open=true", "apps_unapproved");
    change(app, (item) => ({ ...item, state: "new", hidden: [], approvedAt: null }));
    const { gets } = await connecting(app);
    await gets.findByText(/^Not approved yet: \d+ tools, \d+ prompts?, /);
  });
  it("approves only what reads, unless more is chosen", async () => {
    const app = openApp("/apps?id=cursor&open=true", "apps_unapproved");
    change(app, (item) => ({ ...item, state: "new", hidden: [], approvedAt: null }));
    const { dialog, gets } = await connecting(app);
    const choice = await gets.findByRole("radio", { name: /^Approve the \d+ tools? that says? (?:it|they) only reads?$/ });
    expect(choice.getAttribute("aria-checked")).toBe("true");
    const [count] = /\d+/.exec(gets.getByText(/^Approve the \d+/).textContent) ?? [];
    await app.user.click(dialog.getByRole("button", { name: `Approve ${count} and connect` }));
    await lead();
    const sent = approvals(app).flatMap(({ args }) => (args as { approvals: { kind: string }[] }).approvals);
    expect([sent.length, new Set(sent.map(({ kind }) => kind))]).toEqual([Number(count), new Set(["tool"])]);
  });
  it("approves nothing where it is to be reviewed first", async () => {
    const app = openApp("/apps?id=cursor&open=true", "apps_unapproved");
    change(app, (item) => ({ ...item, state: "new", hidden: [], approvedAt: null }));
    const { dialog, gets } = await connecting(app);
    await app.user.click(await gets.findByRole("radio", { name: "Review first" }));
    gets.getByText("“Cursor” will get no tools yet: none is approved.");
    await app.user.click(dialog.getByRole("button", { name: "Connect" }));
    const next = await lead();
    next.getByText("No tool is approved yet: approve some first.");
    expect(approvals(app)).toEqual([]);
    const review = next.getByRole("button", { name: /^Review \d+ more$/ });
    expect([review.className.includes("bg-accent"), next.getByRole("button", { name: "Done" }).className.includes("bg-accent")]).toEqual([
      true,
      false,
    ]);
    await app.user.click(review);
    await waitFor(() => expect(app.router.state.location.pathname).toBe("/review"));
    await waitFor(() => expect(screen.getByRole("main").contains(document.activeElement)).toBe(true));
  });
});

describe("a connected app that gets no tool", () => {
  it("is said to be so in its row, until a server is on again", async () => {
    const { user } = openApp("/apps?id=claude-code&open=true");
    const switches = await (await details("Claude Code")).findAllByRole("switch", { name: /^“.*” is on$/ });
    const state = async () => {
      const words = within(await row(/^Claude Code/)).getByText(/^Connected/);
      return [words.textContent, words.previousElementSibling?.classList.contains("text-warn")];
    };
    await waitFor(async () => expect(await state()).toEqual([expect.stringMatching(/^Connected · \d+ tools$/), false]));
    for (const server of switches) await user.click(server);
    await waitFor(async () => expect(await state()).toEqual(["Connected · 0 tools", true]));
    const [first] = (await (await details("Claude Code")).findAllByRole("switch", { name: "“filesystem” is on" })).slice(0, 1);
    if (!first) throw new Error("no switch");
    await user.click(first);
    await waitFor(async () => expect(await state()).toEqual([expect.stringMatching(/^Connected · \d+ tools$/), false]));
  });
});
