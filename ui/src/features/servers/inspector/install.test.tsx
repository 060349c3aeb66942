// Installing a missing program, from the error card of a server.
import "@/features/servers/servers-screen";
import { openApp } from "@dev/render";
import type { Scene } from "@dev/mock/scenes";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { forgetInstall } from "../install-run";

// Whole screens are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

afterEach(() => {
  cleanup();
  forgetInstall();
});

/** The error card of a server with a missing program. */
async function openCard(scene: Scene, name = "uv") {
  const app = openApp("/servers?id=8", scene);
  const card = within(await screen.findByRole("region", { name }));
  return { ...app, card };
}

/** Presses the approving button once it is enabled. */
async function agree({ card, user }: Awaited<ReturnType<typeof openCard>>) {
  const yes = await card.findByRole("button", { name: "Install uv" });
  await waitFor(() => expect(yes).toHaveProperty("disabled", false), { timeout: 5_000 });
  await user.click(yes);
}

const sent = (host: Awaited<ReturnType<typeof openCard>>["host"]) => host.sent.filter(({ name }) => name === "install_program");

describe("installing what a server lacks", () => {
  it("shows the exact command, and its yes counts after a second", async () => {
    const { card, user, host } = await openCard("install");
    card.getByText("/usr/bin/pipx install uv");
    card.getByText("This downloads uv from PyPI and runs code from there, with your permissions.");
    const yes = card.getByRole("button", { name: "Install uv" });
    expect(yes).toHaveProperty("disabled", true);
    await user.click(yes);
    expect(sent(host)).toEqual([]);
    await waitFor(() => expect(yes).toHaveProperty("disabled", false), { timeout: 5_000 });
    yes.focus();
    await user.keyboard("{Enter}");
    expect(sent(host)).toEqual([]);
  });
  it("runs exactly that, and the server starts by itself", async () => {
    const opened = await openCard("install");
    await agree(opened);
    await screen.findByText(/uv is installed/);
    expect(sent(opened.host).map(({ args }) => args)).toMatchObject([{ id: 8, line: ["/usr/bin/pipx", "install", "uv"] }]);
    await waitFor(() => expect(opened.host.servers.find(({ id }) => id === 8)?.state).toBe("ready"), { timeout: 5_000 });
    await opened.user.click(screen.getByRole("button", { name: "Dismiss" }));
    await waitFor(() => expect(screen.queryByText(/uv is installed/)).toBeNull());
  });
  it("shows a failed installer's output as text, copies it and goes back", async () => {
    const opened = await openCard("install_failed");
    await agree(opened);
    const notice = within(await opened.card.findByRole("alert"));
    notice.getByText("uv wasn’t installed.");
    notice.getByText("U+202E");
    await opened.user.click(notice.getByRole("button", { name: "Copy output" }));
    expect(await navigator.clipboard.readText()).toContain("Fatal error from pip");
    await opened.user.click(notice.getByRole("button", { name: "Back to the command" }));
    await opened.card.findByRole("button", { name: "Install uv" });
  });
  it("says where a program is that isn’t on the PATH", async () => {
    const opened = await openCard("install_off_path");
    await agree(opened);
    await opened.card.findByText("The program is /home/ana/.local/bin/uvx.");
    expect(opened.host.servers.find(({ id }) => id === 8)?.state).toBe("failed");
  });
  it("is cancelled, and goes on while the person is elsewhere", async () => {
    const opened = await openCard("install_slow");
    const { user, router } = opened;
    await agree(opened);
    await opened.card.findByText("Installing uv…");
    await router.navigate({ to: "/servers", search: { id: 1 } });
    await screen.findByRole("complementary", { name: "Details of “filesystem”" });
    await router.navigate({ to: "/servers", search: { id: 8 } });
    const card = within(await screen.findByRole("region", { name: "uv" }));
    await user.click(await card.findByRole("button", { name: "Cancel" }));
    await card.findByText("Installation cancelled.");
  });
  it("without an installer leads to the official page and a terminal", async () => {
    const { card, user, host } = await openCard("install_none", "Node.js");
    card.getByText("sudo apt install nodejs npm");
    expect(card.queryByRole("button", { name: /^Install/ })).toBeNull();
    await user.click(card.getByRole("button", { name: "Official instructions" }));
    await user.click(await screen.findByRole("button", { name: /Open/ }));
    await waitFor(() => expect(host.sent).toContainEqual({ name: "open_link", args: { url: "https://nodejs.org/en/download" } }));
  });
});
