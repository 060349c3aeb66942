// The review of a bundle, and the way back to an earlier version.
import "@/features/servers/servers-screen";
import { TIDES } from "@dev/mock/bundles";
import type { Scene } from "@dev/mock/scenes";
import { openApp } from "@dev/render";
import { act, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { closeBundle } from "@/lib/bundles";

afterEach(() => act(() => closeBundle(TIDES)));

async function openScene(scene: Scene) {
  const app = openApp("/servers?id=1", scene);
  const dialog = within(await screen.findByRole("dialog", {}, { timeout: 3_000 }));
  return { ...app, dialog };
}
const enabled = async (button: HTMLElement) => waitFor(() => expect(button).toHaveProperty("disabled", false), { timeout: 3_000 });

describe("a bundle that was opened", () => {
  it("shows who made it, its signature and the whole command, and is saved once its values are there", async () => {
    const { user, host, dialog } = await openScene("bundle");
    await dialog.findByText(/^The bundle isn’t signed\./);
    dialog.getByText("by Harbour Works");
    dialog.getByText(/--station=14 --cache=\/tmp\/tides/);
    const add = dialog.getByRole("button", { name: "Add and start" });
    // A press that was meant for something else must not start it.
    expect(add).toHaveProperty("disabled", true);
    await enabled(add);
    await user.click(add);
    const token = dialog.getByLabelText(/^API token/);
    await waitFor(() => expect(document.activeElement).toBe(token));
    expect(host.sent.some(({ name }) => name === "add_bundle")).toBe(false);
    const read = vi.spyOn(host, "read_bundle");
    await user.type(token, "canary");
    await user.clear(dialog.getByLabelText(/^Station/));
    await user.type(dialog.getByLabelText(/^Station/), "15");
    await dialog.findByText(/--station=15/);
    expect(JSON.stringify(read.mock.calls)).not.toContain("canary");
    await user.click(add);
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(host.servers.filter(({ name }) => name === "Tide tables").length).toBe(1);
    expect(host.sent.filter(({ name }) => name === "add_bundle").length).toBe(1);
  });
  it("can be cancelled while it is unpacked, which saves nothing", async () => {
    const { user, host, dialog } = await openScene("bundle_slow");
    await user.type(await dialog.findByLabelText(/^API token/), "t");
    const add = dialog.getByRole("button", { name: "Add and start" });
    await enabled(add);
    const before = host.servers.length;
    await user.click(add);
    await dialog.findByText("0 of 212 files");
    await user.click(dialog.getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(dialog.queryByRole("progressbar")).toBeNull());
    expect(host.servers.length).toBe(before);
    await enabled(dialog.getByRole("button", { name: "Add and start" }));
  });
  it("is reviewed once if it is dropped twice", async () => {
    const { user, host, dialog } = await openScene("bundle");
    await dialog.findByText(/^The bundle isn’t signed\./);
    act(() => host.open({ kind: "bundle", path: TIDES }));
    await user.click(dialog.getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });
  it("says why it can’t be opened or used", async () => {
    const { dialog } = await openScene("bundle_damaged");
    await dialog.findByText("“tide-tables-2.0.0.mcpb” can’t be opened.");
    await dialog.findByText(/^The bundle is damaged:/);
    expect(dialog.queryByRole("button", { name: "Add and start" })).toBeNull();
  });
  it("is chosen with a button of the dialog that adds servers", async () => {
    const { user } = openApp("/servers?add=import");
    await user.click(await screen.findByRole("button", { name: "Open a bundle…" }));
    await screen.findByRole("dialog", { name: "Add “Tide tables”" });
  });
  it("takes a chosen folder beside those that are there", async () => {
    const { user, host, dialog } = await openScene("bundle");
    vi.spyOn(host, "pick_folder").mockResolvedValue("/home/ana/More");
    await dialog.findByLabelText(/^Folders/);
    await user.click(dialog.getByRole("button", { name: "Choose…" }));
    await waitFor(() => expect(dialog.getByLabelText(/^Folders/)).toHaveProperty("value", "/home/ana/Charts\n/home/ana/More"));
  });
});

describe("another version of a bundle", () => {
  it("gets the secrets of the server only if the person agrees", async () => {
    const { user, host, dialog } = await openScene("bundle_update");
    const box = await dialog.findByRole("checkbox", { name: /^Give it the secret “API token”/ });
    dialog.getByText("Version 1.4.0 becomes version 2.0.0. You can go back afterwards.");
    dialog.getByText("--cache=memory");
    const submit = dialog.getByRole("button", { name: "Update" });
    await enabled(submit);
    await user.click(submit);
    await waitFor(() => expect(document.activeElement).toBe(dialog.getByLabelText(/^API token/)));
    expect(host.sent.some(({ name }) => name === "add_bundle")).toBe(false);
    await user.click(box);
    await dialog.findByText("keeps the saved value if empty");
    await user.click(submit);
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    const sent = host.sent.find(({ name }) => name === "add_bundle");
    expect(sent?.args).toMatchObject({ choice: { update: 1, name: null, givesSecrets: true }, values: [] });
  });
  it("can be added beside it under a name of its own", async () => {
    const { user, host, dialog } = await openScene("bundle_update");
    await user.click(await dialog.findByRole("radio", { name: "Add beside it" }));
    expect(dialog.queryByRole("checkbox")).toBeNull();
    await user.type(dialog.getByLabelText(/^API token/), "t");
    const add = dialog.getByRole("button", { name: "Add and start" });
    await enabled(add);
    await user.click(add);
    await waitFor(() => expect(host.servers.some(({ name }) => name === "Tide tables")).toBe(true));
  });
  it("can be left for the one before, whose command is shown first", async () => {
    const { user, host, dialog } = await openScene("bundle_update");
    await user.click(await dialog.findByRole("button", { name: "Cancel" }));
    await user.click(await screen.findByRole("button", { name: "Go back to 1.3.2…" }));
    const back = within(await screen.findByRole("dialog", { name: "Go back to version 1.3.2" }));
    back.getByText(/tide-tables\/1\.3\.2\/server\/index\.js/);
    back.getByText("You have to enter “TIDE_KEY” again afterwards.");
    const submit = back.getByRole("button", { name: "Go back" });
    await enabled(submit);
    await user.click(submit);
    await screen.findByRole("button", { name: "Go back to 1.4.0…" });
    expect(host.sent.some(({ name }) => name === "roll_back_bundle")).toBe(true);
  });
});
