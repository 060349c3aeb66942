// What apps get of a server, said first in its overview.
import "@/features/servers/servers-screen";
import { openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";

type App = ReturnType<typeof openApp>;

const line = () => screen.findByRole("region", { name: "For apps" });
const amber = (part: HTMLElement) => part.className.includes("bg-warn-soft");
/** So many of its tools are approved, and it has no others. */
async function approve({ host, client }: App, id: number, approved: number) {
  const tools = host.servers.find((server) => server.id === id)?.toolCount ?? 0;
  host.trust.counts = () => ({ approved, approvedTools: approved, new: tools - approved, changed: 0, blocked: false });
  await client.invalidateQueries();
}

describe("a server's first line", () => {
  it("says in amber that apps get none of its tools, with the way to approve them", async () => {
    const app = openApp("/servers?id=1");
    await approve(app, 1, 0);
    await screen.findByText("0 of 14 tools approved: apps get none");
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
    await screen.findByText("3 of 14 tools approved: apps get only those");
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
  it("isn't there for one that doesn't answer, nor its button where a change has one", async () => {
    const app = openApp("/servers?id=7");
    await screen.findByRole("complementary", { name: "Details of “figma-dev”" });
    expect(screen.queryByRole("region", { name: "For apps" })).toBeNull();
    await app.router.navigate({ to: "/servers", search: { id: 6 } });
    expect(within(await line()).queryByRole("button")).toBeNull();
  });
});
