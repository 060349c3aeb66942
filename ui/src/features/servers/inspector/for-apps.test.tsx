// What apps get of a server, at the top of its overview.
import "@/features/servers/servers-screen";
import { openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";

type App = ReturnType<typeof openApp>;

const line = () => screen.findByRole("region", { name: "For apps" });
const amber = (part: HTMLElement) => part.className.includes("bg-warn-soft");
/** Approves this many tools of a server without others. */
async function approve({ host, client }: App, id: number, approved: number) {
  const tools = host.servers.find((server) => server.id === id)?.toolCount ?? 0;
  host.trust.counts = () => ({ approved, approvedTools: approved, new: tools - approved, changed: 0, blocked: false });
  await client.invalidateQueries();
}

describe("a server's first line", () => {
  it("says in amber that apps get none of its tools, with the way to approve them", async () => {
    const app = openApp("/servers?id=1");
    await approve(app, 1, 0);
    await screen.findByText("Apps get none of 14 tools");
    const part = await line();
    await within(part).findByText(/^Used by Claude Code and /);
    expect(amber(part)).toBe(true);
    await app.user.click(within(part).getByRole("button", { name: "Review the tools of “filesystem”" }));
    await waitFor(() => expect(app.router.state.location.search).toEqual({ id: 1, tab: "trust" }));
    await waitFor(() => expect(document.activeElement?.getAttribute("role")).toBe("tabpanel"));
  });
  it("is calm where no app is connected, and leads to Apps", async () => {
    const app = openApp("/servers?id=1");
    app.host.list_apps = async () => [];
    await approve(app, 1, 3);
    await screen.findByText("Apps get 3 of 14 tools");
    const part = await line();
    await within(part).findByText("No app uses it yet.", { exact: false });
    expect(amber(part)).toBe(false);
    await app.user.click(within(part).getByRole("link", { name: "Connect an app" }));
    await waitFor(() => expect(app.router.state.location.pathname).toBe("/apps"));
  });
  it("says that all is approved, and asks for nothing", async () => {
    const app = openApp("/servers?id=1");
    await approve(app, 1, 14);
    await screen.findByText("14 tools approved");
    const part = await line();
    expect([amber(part), within(part).queryByRole("button")]).toEqual([false, null]);
  });
  it("isn't there for one that doesn't answer, and is part of the one card of what changed", async () => {
    const app = openApp("/servers?id=7");
    await screen.findByRole("complementary", { name: "Details of “figma-dev”" });
    expect(screen.queryByRole("region", { name: "For apps" })).toBeNull();
    await app.router.navigate({ to: "/servers", search: { id: 6 } });
    const pane = within(await screen.findByRole("complementary", { name: "Details of “weather”" }));
    const card = within((await pane.findByText("1 tool changed and is blocked")).closest<HTMLElement>("[role=alert]")!);
    card.getByText("Apps get 1 of 2 tools");
    card.getByText(/Used by Claude Code/);
    expect(pane.queryByRole("region", { name: "For apps" })).toBeNull();
    // The list doesn't repeat it for the selected server, but shows it for others.
    expect(screen.queryByText(/changed since you approved it/)).toBeNull();
    await app.user.click(card.getByRole("button", { name: "Review" }));
    await waitFor(() => expect(app.router.state.location.search).toMatchObject({ id: 6, tab: "trust" }));
    await app.router.navigate({ to: "/servers", search: { id: 1 } });
    await screen.findByText("“weather” changed since you approved it. Changes are blocked until you review them.");
  });
});
