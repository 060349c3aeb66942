import "@/features/servers/servers-screen";
import "@/features/apps/apps-screen";
import "@/features/apps/take-over/take-over";
import { dialogWithKeyboard, openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";

const sheet = async (user: ReturnType<typeof openApp>["user"]) => {
  await user.click(await screen.findByRole("button", { name: "Take over and connect…" }));
  return within(await dialogWithKeyboard("Take over your apps’ servers"));
};

describe("the first start", () => {
  it("says which apps have servers, and takes them over", async () => {
    const { user, host } = openApp("/servers", "first_apps");
    const apps = within(await screen.findByRole("region", { name: "Your apps" }));
    await apps.findByText("Claude Code has 4 servers and Cursor has 2 servers");
    const dialog = await sheet(user);
    // A server of both apps is listed once. Another with the same name stays in its file.
    const list = within(await dialog.findByRole("region", { name: "Servers found" }));
    expect(list.getAllByRole("listitem")).toHaveLength(4);
    list.getByText("from Claude Code and Cursor");
    dialog.getByText(/^“lighthouse” of Cursor is another server/);
    await user.click(await dialog.findByRole("button", { name: "Take over 4 and connect" }));
    await screen.findByRole("dialog", { name: "Approve the tools of 4 servers" });
    const sent = (name: string) => host.apps.sent.filter((one) => one.name === name).map(({ args }) => args);
    expect(sent("connect_app")).toEqual([
      expect.objectContaining({ id: "claude-code", replaces: ["github", "filesystem", "tides", "lighthouse"] }),
      expect.objectContaining({ id: "cursor", replaces: ["tides"] }),
    ]);
    expect(host.servers.map(({ name }) => name).toSorted()).toEqual(["filesystem", "github", "lighthouse", "tides"]);
    expect(host.servers.map(({ start }) => start)).toEqual(["on_use", "on_use", "on_use", "on_use"]);
    // Nothing is approved before it was visible.
    expect(host.sent.filter(({ name }) => name === "approve_trust")).toEqual([]);
    const approve = () => screen.findByRole("button", { name: /^Approve \d+$/ });
    const offered = () => host.servers.reduce((sum, { toolCount }) => sum + (toolCount ?? 0), 0);
    const counted = async () => Number((await approve()).textContent.match(/\d+/)?.[0]);
    // At most what claims to be read-only is preselected.
    await screen.findByRole("radio", { name: /that say they only read/, checked: true });
    expect(await counted()).toBeLessThan(offered());
    await user.click(screen.getByRole("radio", { name: /^Approve all/ }));
    expect(await counted()).toBe(offered());
    // Items appear while the person reads, so nothing that has just moved can be pressed.
    await waitFor(async () => expect((await approve()).dataset["armed"]).toBe("true"), { timeout: 5_000 });
    await user.click(await approve());
    const lead = within(await screen.findByRole("dialog", { name: "Almost done: restart “Claude Code” and “Cursor”" }));
    lead.getByText("Restart “Claude Code” and “Cursor”");
    lead.getByText("Ask one of them");
    host.appDoes("cursor", "lists");
    await lead.findByText(/^“Cursor” has listed \d+ tools?$/);
    lead.getByText("Waiting for “Claude Code” to list the tools");
    lead.getByText("Ask “Cursor”");
    await screen.findByRole("dialog", { name: "Almost done: restart “Claude Code”" });
    await user.click(lead.getByRole("button", { name: "Done" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    // The button that opened the sheet is gone, so the focus is in the list.
    await waitFor(() => expect(document.activeElement?.matches("[role=grid] [aria-selected=true]")).toBe(true));
  });
  it("leaves a server that is unchecked in its app", async () => {
    const { user, host } = openApp("/servers", "first_apps");
    const dialog = await sheet(user);
    await user.click(await dialog.findByRole("checkbox", { name: /^tides/ }));
    await user.click(dialog.getByRole("checkbox", { name: "Cursor" }));
    await user.click(dialog.getByRole("checkbox", { name: "Start them on first use" }));
    await user.click(await dialog.findByRole("button", { name: "Take over 3 and connect" }));
    await screen.findByRole("dialog", { name: "Approve the tools of 3 servers" });
    expect(host.servers.map(({ name }) => name).toSorted()).toEqual(["filesystem", "github", "lighthouse"]);
    expect(host.servers.map(({ start }) => start)).toEqual(["with_mooring", "with_mooring", "with_mooring"]);
    expect(host.apps.sent.filter(({ name }) => name === "connect_app").map(({ args }) => args)).toEqual([
      expect.objectContaining({ id: "claude-code", replaces: ["github", "filesystem", "lighthouse"] }),
    ]);
  });
  it("keeps the apps’ own entries where the person wants that", async () => {
    const { user, host } = openApp("/servers", "first_apps");
    const dialog = await sheet(user);
    await user.click(await dialog.findByRole("checkbox", { name: "Remove these servers from the apps’ own files" }));
    dialog.getByText("The app would have these 4 servers twice.");
    await user.click(await dialog.findByRole("button", { name: "Take over 4 and connect" }));
    await screen.findByRole("dialog", { name: "Approve the tools of 4 servers" });
    expect(host.apps.sent.filter(({ name }) => name === "connect_app").map(({ args }) => args)).toEqual([
      { id: "claude-code", hash: "shown", replaces: [] },
      { id: "cursor", hash: "shown", replaces: [] },
    ]);
  });
  it("shows in a picture what Mooring is for, and says what follows", async () => {
    openApp("/servers", "first_apps");
    const apps = within(await screen.findByRole("region", { name: "Your apps" }));
    const picture = apps.getByRole("img", { name: "Servers connect to Mooring, and your apps to Mooring." });
    expect(picture.textContent).toBe("ServersMooringYour apps");
    await apps.findByText("Add them to Mooring, and each app can use all of them.");
  });
  it("says which apps can be connected where they have no servers", async () => {
    const { host, client } = openApp("/servers", "first_apps");
    const list = host.list_apps.bind(host);
    host.list_apps = async () => (await list()).map((app) => ({ ...app, servers: [] }));
    void client.invalidateQueries();
    const apps = within(await screen.findByRole("region", { name: "Your apps" }));
    await apps.findByText("No servers in your apps yet");
    apps.getByText(/^Found: Claude Code, Cursor, and Zed\. Add a server below/);
    expect(apps.queryByRole("button")).toBeNull();
  });
  it("says what to do where no app is found", async () => {
    openApp("/servers", "empty");
    await within(await screen.findByRole("region", { name: "Your apps" })).findByText("No AI app found");
    // One way is marked as the first, because it needs no installation.
    expect(screen.getByRole("button", { name: /^Start the demo server/ }).textContent).toMatch(
      /Try Mooring without installing anything\.Start here$/,
    );
    expect(screen.getAllByText("Start here")).toHaveLength(1);
  });
  it("marks no other way where apps have servers", async () => {
    openApp("/servers", "first_apps");
    await screen.findByRole("button", { name: "Take over and connect…" });
    expect(screen.queryByText("Start here")).toBeNull();
  });
});

describe("a connected app", () => {
  it("loses the servers that it has twice, once that was shown", async () => {
    const { user, host } = openApp("/apps?id=claude-code&open=true");
    const details = within(await screen.findByRole("complementary", { name: "App details: Claude Code" }));
    await user.click(await details.findByRole("button", { name: "Remove duplicate servers…" }));
    const dialog = within(await dialogWithKeyboard("Remove duplicate servers from “Claude Code”"));
    await dialog.findByText(/^The app also has “github” and “filesystem” through Mooring/);
    await user.click(dialog.getByRole("button", { name: "Remove" }));
    await waitFor(() => expect(host.apps.sent.at(-1)).toMatchObject({ name: "connect_app", args: { replaces: ["github", "filesystem"] } }));
    await waitFor(() => expect(details.queryByRole("button", { name: "Remove duplicate servers…" })).toBeNull());
  });
});
