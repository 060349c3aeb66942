import "@/features/servers/servers-screen";
import "@/features/settings/settings-screen";
import { openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";

const own = async () => within(await screen.findByRole("region", { name: "Folders for this server" }));

describe("the folders of a server", () => {
  // Requirements: ROOT-07.
  it("say that they are no fence, and which of them are left out and why", async () => {
    openApp("/servers?id=1&tab=roots");
    await screen.findByText(/They don’t limit access: a local server can read whatever you can/);
    const folders = await own();
    expect(folders.getAllByRole("listitem").map((item) => item.textContent)).toEqual([
      "Harbour lights/home/ana/projects/harbour",
      "tide-tables/home/ana/projects/tide-tables",
      "2025/media/backup/2025Not shared: it doesn’t exist",
    ]);
  });
  it("are added as typed or as picked, and refused at the field", async () => {
    const { user, host } = openApp("/servers?id=1&tab=roots");
    const folders = await own();
    const field = folders.getByRole("textbox", { name: "Add folder" });
    await user.type(field, "projects{Enter}");
    await folders.findByText("Enter the full path: projects.");
    await user.clear(field);
    await user.type(field, "/home/ana/src{Enter}");
    await folders.findByText("/home/ana/src");
    expect(field).toHaveProperty("value", "");
    await user.click(folders.getByRole("button", { name: "Choose…" }));
    await folders.findByText("/home/ana/projects/lamps");
    host.roots.picks = null;
    await user.click(folders.getByRole("button", { name: "Choose…" }));
    expect(host.roots.list.filter((root) => root.server === 1).length).toBe(5);
  });
  it("take a second yes where they hold far more than a project, and Escape is none", async () => {
    const { user, host } = openApp("/servers?id=1&tab=roots");
    const field = (await own()).getByRole("textbox", { name: "Add folder" });
    const granted = () => host.roots.list.filter((root) => root.server === 1 && root.path === "/home/ana");
    await user.type(field, "/home/ana{Enter}");
    await screen.findByRole("dialog", { name: "Share this folder anyway?" });
    within(screen.getByRole("dialog")).getByText("/home/ana");
    await user.keyboard("{Enter}{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(granted()).toEqual([]);
    await user.click(field);
    await user.keyboard("{Enter}");
    await user.click(await screen.findByRole("button", { name: "Share anyway" }));
    await waitFor(() => expect(granted()).toMatchObject([{ wide: true }]));
    await (await own()).findByText("very broad");
  });
  it("are renamed, and come back on undo", async () => {
    const { user, host } = openApp("/servers?id=1&tab=roots");
    const folders = await own();
    await user.click(folders.getByRole("button", { name: "Rename “Harbour lights”" }));
    await user.keyboard("Lamps{Enter}");
    await folders.findByText("Lamps");
    await user.click(folders.getByRole("button", { name: "Rename “Lamps”" }));
    await user.keyboard("x{Escape}");
    expect(host.roots.list[0]?.name).toBe("Lamps");
    await user.click(folders.getByRole("button", { name: "Stop sharing “Lamps”" }));
    await waitFor(() => expect(folders.queryByText("Lamps")).toBeNull());
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await folders.findByText("Lamps");
  });
  it("that are no longer shared pass the focus on to the one beside", async () => {
    const { user } = openApp("/servers?id=1&tab=roots");
    const folders = await own();
    folders.getByRole("button", { name: "Stop sharing “Harbour lights”" }).focus();
    await user.keyboard("{Enter}");
    await waitFor(() => expect(folders.queryByText("Harbour lights")).toBeNull());
    expect(document.activeElement).toBe(folders.getByRole("button", { name: "Stop sharing “tide-tables”" }));
  });
  it("for every server are told of only where the person says so", async () => {
    const { user, host } = openApp("/servers?id=2&tab=roots");
    const share = await screen.findByRole("switch", { name: "Also share the folders for all servers with it" });
    screen.getByText("Off until you decide: you’ll be asked in the Inbox before any of them is shared.");
    screen.getByText("The server hasn’t asked for folders.");
    await user.click(share);
    await screen.findByText("On: they are shared without asking.");
    expect(host.roots.of(2).shared).toBe(true);
    await user.click(share);
    await screen.findByText("Off: they aren’t shared, and you won’t be asked.");
  });
  it("are said as they were sent when the server asked", async () => {
    const { host } = openApp("/servers?id=1&tab=roots");
    const own = host.roots.list.filter((item) => item.server === 1).length;
    await screen.findByText(`The server last asked 4 minutes ago and was sent ${own} folder${own === 1 ? "" : "s"}.`);
  });
  it("were not sent where there are none, which is said without a promise", async () => {
    openApp("/servers?id=1&tab=roots", "no_roots");
    await screen.findByText("The server last asked 4 minutes ago and was sent no folders.");
    expect(screen.queryByText(/first requests/)).toBeNull();
  });
  it("for every server are set up in Settings", async () => {
    const { user, host } = openApp("/settings?section=folders");
    const section = within(await screen.findByRole("region", { name: "Folders for all servers" }));
    await section.findByText("/home/ana/notes");
    await user.type(section.getByRole("textbox", { name: "Add folder" }), "/srv/shared{Enter}");
    await section.findByText("/srv/shared");
    expect(host.roots.list.at(-1)).toMatchObject({ server: null, path: "/srv/shared" });
  });
});
