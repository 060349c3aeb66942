// Turns single tools on, to ask, and off.
import "@/features/servers/servers-screen";
import { openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";

// Whole screens are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });
// Tests have no layout, and a list that only draws visible rows needs a height.
beforeEach(() => {
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(1_000);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(400);
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(88);
});

const row = async (name: string) => within(await screen.findByRole("grid", { name: "Tools" })).findByRole("row", { name });
const chosen = (item: HTMLElement) =>
  within(item)
    .getAllByRole("radio")
    .find((option) => option.getAttribute("aria-checked") === "true")?.textContent;

describe("a server's tools", () => {
  it("are switched off by a rule for each alone, and on again by undo", async () => {
    const { user, host } = openApp("/servers?id=2&tab=tools", "no_rules");
    const issue = await row("search_issue");
    await waitFor(() => expect(chosen(issue)).toBe("On"));
    await user.click(within(issue).getByRole("radio", { name: "Off" }));
    await waitFor(() =>
      expect(host.policies.rules.map(({ rule }) => [rule.effect, rule.server, rule.tool])).toEqual([["deny", 2, "search_issue"]]),
    );
    await screen.findByText("“search_issue” is off");
    await waitFor(() => expect(chosen(issue)).toBe("Off"));
    // Another choice replaces the rule.
    await user.click(within(issue).getByRole("radio", { name: "Ask" }));
    await waitFor(() => expect(host.policies.rules.map(({ rule }) => rule.effect)).toEqual(["ask"]));
    await screen.findByText("“search_issue” asks before every call");
    await user.click(screen.getAllByRole("button", { name: /^Undo/ }).at(-1) as HTMLElement);
    await waitFor(() => expect(host.policies.rules.map(({ rule }) => rule.effect)).toEqual(["deny"]));
    await waitFor(() => expect(chosen(issue)).toBe("Off"));
    // The default needs no rule.
    await user.click(within(issue).getByRole("radio", { name: "On" }));
    await waitFor(() => expect(host.policies.rules).toEqual([]));
  });
  it("say when models don't ask either", async () => {
    const { host } = openApp("/servers?id=2&tab=tools", "no_rules");
    const issue = await row("search_issue");
    await waitFor(() => expect(chosen(issue)).toBe("On"));
    expect(within(issue).queryByRole("link", { name: "Models run it without asking" })).toBeNull();
    const allow = { effect: "allow", server: 2, tool: "search_issue", caller: null, destructiveOnly: false, expiresAt: null } as const;
    await host.policies.save(null, { ...allow, arguments: [] });
    await within(issue).findByRole("link", { name: "Models run it without asking" });
  });
  it("say when a wider rule decides, and cannot be switched on against a no", async () => {
    const { user, host, router } = openApp("/servers?id=2&tab=tools", "no_rules");
    const deny = {
      effect: "deny",
      server: 2,
      tool: "delete_*",
      caller: null,
      destructiveOnly: false,
      arguments: [],
      expiresAt: null,
    } as const;
    await host.policies.save(null, { ...deny, arguments: [] });
    const branch = await row("delete_file");
    await waitFor(() => expect(chosen(branch)).toBe("Off"));
    for (const name of ["On", "Ask"]) expect(within(branch).getByRole("radio", { name })).toHaveProperty("disabled", true);
    expect(chosen(await row("search_issue"))).toBe("On");
    await user.click(within(branch).getByRole("link", { name: "Set by a rule" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/policies"));
    const rule = within(await screen.findByRole("list", { name: "Policies" })).getByRole("listitem");
    expect(rule.getAttribute("aria-current")).toBe("true");
  });
  it("are walked, switched and opened with the keyboard", async () => {
    const { user, host, router } = openApp("/servers?id=2&tab=tools", "no_rules");
    const first = await row("search_issue");
    await waitFor(() => expect(chosen(first)).toBe("On"));
    first.focus();
    await user.keyboard("{ArrowDown}");
    const second = await row("merge_pull_request");
    await waitFor(() => expect(document.activeElement).toBe(second));
    await user.keyboard("x");
    await waitFor(() => expect(host.policies.rules.map(({ rule }) => [rule.effect, rule.tool])).toEqual([["deny", "merge_pull_request"]]));
    await user.keyboard("{Enter}");
    await waitFor(() => expect(router.state.location.search).toEqual({ server: 2, tool: "merge_pull_request" }));
  });
  it("say what the server claims, when each was used, and what is new", async () => {
    const { user, host, router } = openApp("/servers?id=6&tab=tools");
    const server = host.servers.find((item) => item.id === 6);
    const { tools } = await host.list_tools({ id: 6, refresh: false });
    const [tool] = tools;
    if (!server || !tool) throw new Error("no tool");
    const { definition } = host.trust.of(server);
    const changed = { ...definition, kind: "tool" as const, name: tool.name, state: "changed" as const };
    host.trust.of = () => ({ server: 6, definition, items: [changed] });
    host.journal.append({
      kind: "frame",
      direction: "out",
      serverId: 6,
      source: "weather",
      method: "tools/call",
      subject: tool.name,
      body: "",
    });
    const item = await row(tool.name);
    within(item).getByRole("list", { name: "The server says:" });
    await within(item).findByTitle(/^Used /);
    await user.click(await within(item).findByRole("link", { name: `Review “${tool.name}” in Trust` }));
    await waitFor(() => expect(router.state.location.search).toEqual({ id: 6, tab: "trust" }));
  });
  it("that are new are approved in their row, once that stood still", async () => {
    const { user, host } = openApp("/servers?id=6&tab=tools");
    const server = host.servers.find((item) => item.id === 6);
    const { tools } = await host.list_tools({ id: 6, refresh: false });
    const [tool, other] = tools;
    if (!server || !tool || !other) throw new Error("no tools");
    const { definition } = host.trust.of(server);
    const fresh = { ...definition, kind: "tool" as const, state: "new" as const };
    // A tool that can't be shown in full is reviewed separately.
    const hiding = { ...fresh, name: other.name, whole: 200_000 };
    host.trust.of = () => ({ server: 6, definition, items: [{ ...fresh, name: tool.name, hash: "f1" }, hiding] });
    const item = await row(tool.name);
    const approve = await within(item).findByRole("button", { name: `Approve “${tool.name}”` });
    expect(approve).toHaveProperty("disabled", true);
    // It looks enabled from the start.
    expect(approve.className).not.toContain("opacity");
    await waitFor(() => expect(approve).toHaveProperty("disabled", false), { timeout: 5_000 });
    expect(within(await row(other.name)).queryByRole("button", { name: /^Approve/ })).toBeNull();
    within(await row(other.name)).getByRole("link", { name: /^Review/ });
    within(item).getByText("Apps don’t get it yet");
    await user.click(approve);
    await waitFor(() =>
      expect(host.sent.filter(({ name }) => name === "approve_trust").map(({ args }) => args)).toEqual([
        { server: 6, approvals: [{ kind: "tool", name: tool.name, hash: "f1" }] },
      ]),
    );
    await waitFor(() => expect(document.activeElement).toBe(item));
  });
  it("that are new are approved all at once, and that is undone", async () => {
    const { user, host } = openApp("/servers?id=2&tab=tools", "no_rules");
    const all = await screen.findByRole("button", { name: "Approve all new (12)" });
    expect(all).toHaveProperty("disabled", true);
    await waitFor(() => expect(all).toHaveProperty("disabled", false), { timeout: 5_000 });
    await user.click(all);
    await waitFor(() =>
      expect(host.sent.filter(({ name }) => name === "approve_trust").map(({ args }) => args)).toMatchObject([
        { server: 2, approvals: { length: 12 } },
      ]),
    );
    await waitFor(() => expect(screen.queryByRole("button", { name: /^Approve all/ })).toBeNull());
    await user.click(screen.getByRole("button", { name: /^Undo/ }));
    await screen.findByRole("button", { name: "Approve all new (12)" });
  });
  it("that are off or left out by the search stay as they are", async () => {
    const { user, host } = openApp("/servers?id=2&tab=tools", "no_rules");
    await screen.findByRole("button", { name: "Approve all new (12)" });
    const deny = { effect: "deny", server: 2, tool: "get_issue", caller: null, destructiveOnly: false, expiresAt: null } as const;
    await host.policies.save(null, { ...deny, arguments: [] });
    await screen.findByRole("button", { name: "Approve all new (11)" });
    await user.type(screen.getByRole("textbox", { name: "Search tools" }), "list");
    await screen.findByRole("button", { name: "Approve all new (2)" });
  });
  it("can be switched only once they are approved", async () => {
    const { user, host } = openApp("/servers?id=2&tab=tools", "no_rules");
    const issue = await row("get_issue");
    const approve = await within(issue).findByRole("button", { name: "Approve “get_issue”" });
    expect(within(issue).queryByRole("radio")).toBeNull();
    issue.focus();
    await user.keyboard("x");
    await waitFor(() => expect(approve).toHaveProperty("disabled", false), { timeout: 5_000 });
    expect(host.policies.rules).toEqual([]);
    await user.click(approve);
    await waitFor(() => expect(chosen(issue)).toBe("On"));
    expect(within(issue).queryByText("Apps don’t get it yet")).toBeNull();
  });
  it("that changed are counted above the list, with their review", async () => {
    const { user, router } = openApp("/servers?id=6&tab=tools");
    await screen.findByText("1 tool changed and is blocked");
    await user.click(screen.getByRole("button", { name: "Review" }));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ id: 6, tab: "trust" }));
  });
  it("say in each row where its approval stands, and are listed by it", async () => {
    const { user, host } = openApp("/servers?id=1&tab=tools", "no_rules");
    const shown = within(await screen.findByRole("radiogroup", { name: "Show" }));
    await shown.findByRole("radio", { name: "To review 12" });
    within(await row("get_issue")).getByText("Approved");
    within(await row("update_repository")).getByText("New");
    await user.click(shown.getByRole("radio", { name: "Approved 2" }));
    const grid = screen.getByRole("grid", { name: "Tools" });
    await waitFor(() => expect(grid.getAttribute("aria-rowcount")).toBe("2"));
    // Tools that are off aren't among them.
    const deny = { effect: "deny", server: 1, tool: "get_issue", caller: null, destructiveOnly: false, expiresAt: null } as const;
    await host.policies.save(null, { ...deny, arguments: [] });
    await shown.findByRole("radio", { name: "Off 1" });
    await waitFor(() => expect(grid.getAttribute("aria-rowcount")).toBe("1"));
  });
  it("take two lines for what they do, and say what is claimed", async () => {
    openApp("/servers?id=2&tab=tools", "no_rules");
    const issue = await row("get_issue");
    const claims = within(within(issue).getByRole("list", { name: "The server says:" })).getAllByRole("listitem");
    expect(claims[0]?.title).toBe("The server says: Can delete data");
    expect(claims[0]?.textContent).toBe("Server says: Can delete data");
    // That it changes data goes without saying.
    expect(claims.map(({ title }) => title)).not.toContain("The server says: Changes data");
    expect(within(issue).getByTitle(/^Works on one thing/).className).toContain("line-clamp-2");
  });
  it("say how long their calls took once there were five", async () => {
    const { host } = openApp("/servers?id=6&tab=tools");
    const { tools } = await host.list_tools({ id: 6, refresh: false });
    const [often, seldom] = tools;
    if (!often || !seldom) throw new Error("no tools");
    host.policies.times.set(often.name, { count: 5, p50Ms: 13, p95Ms: 400 });
    const times = within(await row(often.name)).findByText("p50 13 ms · p95 400 ms");
    expect((await times).title).toBe("Half of the last 5 calls took 13 ms or less, 95% 400 ms or less, not counting time waiting for you");
    expect(within(await row(seldom.name)).queryByText(/p95/)).toBeNull();
  });
  it("are drawn as far as they are in sight, however many there are", async () => {
    const { host } = openApp("/servers?id=2&tab=tools", "no_rules");
    Object.assign(host.servers.find(({ id }) => id === 2) ?? {}, { toolCount: 1_000 });
    const grid = await screen.findByRole("grid", { name: "Tools" });
    expect(grid.getAttribute("aria-rowcount")).toBe("1000");
    expect(within(grid).getAllByRole("row").length).toBeLessThan(50);
  });
});
