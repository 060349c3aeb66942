// The checks of a server and of Mooring itself: they appear one by one, with buttons that fix what failed.
import "@/features/servers/servers-screen";
import "@/features/settings/settings-screen";
import "@/features/apps/apps-screen";
import { openApp } from "@dev/render";
import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import axe from "axe-core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { showDoctor, showOverlay } from "@/lib/overlays";

// Whole screens are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

afterEach(() => {
  act(() => showOverlay(null));
  cleanup();
});

const dialog = async (name: string) => within(await screen.findByRole("dialog", { name }));

/** The line of a check, once it has a result. */
const line = async (inside: Awaited<ReturnType<typeof dialog>>, title: string) => {
  const text = await inside.findByText(title, {}, { timeout: 10_000 });
  return within(text.closest("li")!);
};

describe("the checks of a server", () => {
  it("begin from its menu and show each step with its result in words", async () => {
    const { user, host } = openApp("/servers?id=1");
    const name = host.find(1).name;
    await user.click(await screen.findByRole("button", { name: "More actions" }));
    await user.click(await screen.findByRole("menuitem", { name: "Check…" }));
    const inside = await dialog(`Check “${name}”`);
    (await line(inside, "List of tools")).getByText("passed");
    (await line(inside, "Secrets")).getByText("skipped");
    await inside.findByText("No check failed.");
    expect(inside.queryByText("failed")).toBeNull();
    inside.getByRole("button", { name: "Copy report" });
    await user.click(inside.getByRole("button", { name: "Save report" }));
    expect(host.sent.find((sent) => sent.name === "save_file")?.args).toMatchObject({ base64: false });
    expect((await axe.run(screen.getByRole("dialog"), { rules: { "color-contrast": { enabled: false } } })).violations).toEqual([]);
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });
  it("lead to where a failure is fixed", async () => {
    const { user, host, router } = openApp("/servers");
    await screen.findAllByRole("row");
    const failed = host.servers.find(({ failure }) => failure !== null)!;
    act(() => showDoctor(failed.id));
    const inside = await dialog(`Check “${failed.name}”`);
    const row = await line(inside, "Connection (TCP)");
    row.getByText("failed");
    await inside.findByText("1 check failed.", {}, { timeout: 10_000 });
    await user.click(row.getByRole("button", { name: "Edit server (Connection (TCP))" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(router.state.location.search).toMatchObject({ id: failed.id, tab: "settings" });
  });
  it("are cancelled when the dialog is closed", async () => {
    const { user, host } = openApp("/servers");
    await screen.findAllByRole("row");
    act(() => showDoctor(1));
    const inside = await dialog(`Check “${host.find(1).name}”`);
    inside.getByText("Checking…");
    await user.keyboard("{Escape}");
    await waitFor(() => expect(host.sent.some(({ name }) => name === "cancel_call")).toBe(true));
  });
});

describe("the checks of Mooring itself", () => {
  it("begin in the settings and open the app that can't connect", async () => {
    const { user, router } = openApp("/settings?section=about");
    await user.click(await screen.findByRole("button", { name: "Check Mooring" }));
    const inside = await dialog("Check Mooring");
    await inside.findByText("1 check failed.", {}, { timeout: 10_000 });
    await user.click(inside.getByRole("button", { name: "Open app (App)" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/apps"));
    expect(router.state.location.search).toMatchObject({ id: "cursor", open: true });
  });
});
