// The page that lists weaknesses, and links to where each can be fixed.
import "@/features/safety/safety-screen";
import { http, stdio } from "@dev/mock/servers";
import { openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";

const group = async (name: string) => within(await screen.findByRole("region", { name }));
const press = (name: RegExp) => screen.findByRole("button", { name });

/** Opens the page with these settings of a server. */
function openWith(id: number, part: object) {
  const app = openApp("/safety");
  Object.assign(app.host.servers.find((server) => server.id === id) ?? {}, part);
  return app;
}

describe("the Safety page", () => {
  it("says what is weak, what is worst first, and why it matters", async () => {
    openWith(1, { ...stdio("filesystem", "npx", "-y", "@acme/files"), env: { API_TOKEN: "abc" } });
    const soon = await group("Fix soon");
    soon.getByText("“API_TOKEN” of “filesystem” looks like an unencrypted secret");
    expect(soon.getAllByText(/^Every program you run can read Mooring’s data folder\.$/).length).toBeGreaterThan(0);
    expect(screen.queryByText(/abc/)).toBeNull();
    (await group("Worth fixing")).getByText("“weather” changed since you approved it");
    (await group("Good to know")).getByText(/tools haven’t been reviewed/);
    const headings = screen.getAllByRole("heading", { level: 2 }).map((heading) => heading.textContent);
    expect(headings).toEqual(["Fix soon", "Worth fixing", "Good to know"]);
    const count = screen.getAllByRole("listitem").filter((item) => item.closest("main")).length;
    screen.getByText(`${count} things to fix`, { selector: "[role=status]" });
    // An area with an accepted risk isn't listed as fine either.
    expect((await screen.findByText(/^Nothing to fix: /)).textContent).toBe("Nothing to fix: connections, rules, and apps.");
  });
  it("leads to the value that isn't encrypted, with the keyboard there", async () => {
    const { user, router } = openWith(1, { env: { LOG_LEVEL: "info", API_TOKEN: "abc" } });
    await user.click(await press(/^Encrypt: “API_TOKEN” of “filesystem”/));
    await waitFor(() => expect(router.state.location).toMatchObject({ pathname: "/servers", search: { id: 1, tab: "settings" } }));
    const value = await screen.findByLabelText("Value of “API_TOKEN”");
    await waitFor(() => expect(document.activeElement).toBe(value));
  });
  it.each([
    ["a command", /^Edit command: “postgres-prod” doesn’t pin/, "/servers", { id: 3, tab: "settings" }],
    ["a review", /^Review: “weather” changed/, "/servers", { id: 6, tab: "trust" }],
    ["all reviews", /^Review: \d+ tools haven’t been reviewed/, "/review", {}],
  ])("leads to %s", async (_, button, pathname, search) => {
    const { user, router } = openApp("/safety");
    await user.click(await press(button));
    await waitFor(() => expect(router.state.location).toMatchObject({ pathname, search }));
  });
  it("leads to a URL without encryption", async () => {
    const { user, router } = openWith(4, http("linear", "http://linear.test/mcp"));
    await user.click(await press(/^Edit URL: “linear” is reached without encryption/));
    await waitFor(() => expect(router.state.location).toMatchObject({ search: { id: 4, tab: "settings" } }));
  });
  it("leads to a rule that allows everything", async () => {
    const { user, host, router } = openApp("/safety");
    const rule = {
      effect: "allow",
      server: null,
      tool: null,
      caller: null,
      destructiveOnly: false,
      arguments: [],
      expiresAt: null,
    } as const;
    const { id } = await host.save_rule({ id: null, rule: { ...rule, arguments: [] } });
    await user.click(await press(/^Open rule: A rule allows every tool/));
    await waitFor(() => expect(router.state.location).toMatchObject({ pathname: "/policies", search: { rule: id } }));
  });
  it("hides what is fine, brings it back by undo, and lists it at the end", async () => {
    const { user } = openApp("/safety");
    const title = "“weather” changed since you approved it";
    await user.click(await press(new RegExp(`^Accept risk: ${title}`)));
    await screen.findByText("Moved to “Accepted risks”");
    expect((await group("Worth fixing")).queryByText(title)).toBeNull();
    expect(localStorage.getItem("mooring.safety.hidden")).toMatch(/^\["changed 6 tool\/forecast\/[\da-f]{16}( \S+)*"\]$/);
    await user.click(screen.getByRole("button", { name: "Undo" }));
    (await group("Worth fixing")).getByText(title);
    await user.click(await press(new RegExp(`^Accept risk: ${title}`)));
    await user.click(await screen.findByText("Accepted risks"));
    await user.click(await press(new RegExp(`^Show again: ${title}`)));
    (await group("Worth fixing")).getByText(title);
  });
  it("says again what is fine once something else is weak", async () => {
    const { user, host, client } = openWith(4, http("linear", "http://linear.test/mcp"));
    await user.click(await press(/^Accept risk: “linear” is reached without encryption/));
    await user.click(await screen.findByText("Accepted risks"));
    await press(/^Show again: “linear” is reached without encryption/);
    Object.assign(host.servers.find(({ id }) => id === 4) ?? {}, { url: "http://elsewhere.test/mcp" });
    await client.invalidateQueries();
    await press(/^Accept risk: “linear” is reached without encryption/);
    await waitFor(() => expect(localStorage.getItem("mooring.safety.hidden")).toBe("[]"));
  });
  it("stays while something new is read", async () => {
    const { host, client } = openApp("/safety");
    await press(/^Review: “weather” changed/);
    const [server] = host.servers;
    let isRead = false;
    host.get_trust = () => {
      isRead = true;
      return new Promise(() => undefined);
    };
    if (server) host.servers = [...host.servers, { ...server, id: 99, name: "buoy" }];
    await client.invalidateQueries({ queryKey: ["list_servers"] });
    await waitFor(() => expect(isRead).toBe(true));
    await press(/^Review: “weather” changed/);
  });
  it("says that nothing is weak", async () => {
    openApp("/safety", "empty");
    await screen.findByRole("heading", { name: "Nothing to fix" });
  });
  it("says so where something couldn't be checked, and not that nothing is weak", async () => {
    openApp("/safety", "failed_list_rules");
    await screen.findByText("Some checks couldn’t be made.");
    await press(/^Review: “weather” changed/);
    screen.getByRole("button", { name: "Try again" });
    expect(screen.queryByText("Nothing to fix")).toBeNull();
  });
  it("is reached from the rail, the palette and by a key", async () => {
    const { user, router } = openApp("/models");
    await user.click(await screen.findByRole("link", { name: "Safety" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/safety"));
    await router.navigate({ to: "/models" });
    await user.keyboard("{Control>}k{/Control}");
    await user.type(await screen.findByRole("combobox"), "unpinned{Enter}");
    await waitFor(() => expect(router.state.location.pathname).toBe("/safety"));
  });
});
