// Servers whose secrets are in a locked vault: what is shown, and that they start once it is unlocked.
import "@/features/servers/servers-screen";
import "@/features/inbox/inbox-screen";
import { asked, createIssue } from "@dev/mock/inbox-questions";
import { openApp } from "@dev/render";
import { act, screen, waitFor, within } from "@testing-library/react";
import axe from "axe-core";
import { describe, expect, it } from "vitest";

const TEXT = "Enter your passphrase to use 9 saved logins and secrets.";
const status = async () => within(await screen.findByRole("contentinfo", { name: "Status" }));

async function unlock(user: ReturnType<typeof openApp>["user"]) {
  const dialog = within(await screen.findByRole("dialog", { name: "Unlock the vault" }));
  await user.type(dialog.getByLabelText("Passphrase"), "correct horse{Enter}");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
}

describe("a server that waits for the vault", () => {
  it("is locked and not failed, wherever its state is shown", async () => {
    const { user } = openApp("/servers?id=3", "servers_locked");
    const row = await screen.findByRole("row", { name: /^postgres-prod.*Locked/ });
    expect(row.querySelector(".text-bad")).toBeNull();
    const bar = await status();
    bar.getByText("2 locked");
    bar.getByText("1 failed");
    const details = within(screen.getByRole("complementary", { name: "Details of “postgres-prod”" }));
    expect(details.getAllByText("Locked")).toHaveLength(1);
    // It will start automatically, so it can be stopped.
    details.getByRole("button", { name: "Stop" });
    await user.keyboard("{Control>}k{/Control}");
    await user.type(screen.getByRole("combobox"), "postgres-prod");
    expect((await screen.findAllByRole("option", { name: /postgres-prod.*Locked/ })).length).toBe(1);
  });
  it("has its reason once and a banner that unlocks it", async () => {
    const { user, host } = openApp("/servers?id=3", "servers_locked");
    const banner = (await screen.findAllByRole("alert")).find((alert) => alert.textContent?.includes(TEXT));
    const details = within(screen.getByRole("complementary", { name: "Details of “postgres-prod”" }));
    const notice = details.getByRole("alert");
    const said = [...notice.querySelectorAll("p")].map((part) => part.textContent);
    expect(new Set(said).size).toBe(said.length);
    expect(screen.getAllByText(TEXT)).toHaveLength(1);
    expect((await axe.run(document.body, { rules: { "color-contrast": { enabled: false } } })).violations).toEqual([]);
    await user.click(within(banner!).getByRole("button", { name: "Enter passphrase…" }));
    await unlock(user);
    expect(host.servers.filter((server) => server.state === "locked")).toEqual([]);
    await waitFor(() => expect(host.servers.find((server) => server.id === 3)?.state).toBe("ready"), { timeout: 3_000 });
    expect(screen.queryByText(TEXT)).toBeNull();
  });
  it("has no second banner on its tabs", async () => {
    openApp("/servers?id=5&tab=sign_in", "servers_locked");
    await screen.findByRole("button", { name: "Enter passphrase…" });
    expect(screen.getAllByText(TEXT)).toHaveLength(1);
  });
});

describe("the Inbox while servers wait for the vault", () => {
  it("has one item that says how much is locked and which servers start", async () => {
    const { user } = openApp("/inbox", "servers_locked");
    await screen.findByRole("heading", { level: 2, name: "Unlock the vault" });
    screen.getByText(TEXT);
    screen.getByText("“postgres-prod” and “docs-search” then start automatically.");
    expect(screen.queryByText("Nothing is waiting")).toBeNull();
    (await status()).getByText("1 waiting");
    await waitFor(() => expect(document.title).toBe("Mooring · 1 waiting"));
    await user.click(screen.getByRole("button", { name: "Enter passphrase…" }));
    await unlock(user);
    await screen.findByRole("heading", { level: 2, name: "Nothing is waiting" });
    expect((await status()).queryByText("1 waiting")).toBeNull();
  });
  it("has it above what servers ask", async () => {
    const { user, host } = openApp("/inbox", "servers_locked");
    await screen.findByRole("heading", { level: 2, name: "Unlock the vault" });
    act(() => host.inbox.ask([asked(77, 6, createIssue, 5_000)]));
    await screen.findByRole("list", { name: "Waiting questions" });
    (await status()).getByText("2 waiting");
    await user.click(screen.getByRole("button", { name: /Unlock the vault.*2 servers wait/ }));
    await unlock(user);
    (await status()).getByText("1 waiting");
  });
});
