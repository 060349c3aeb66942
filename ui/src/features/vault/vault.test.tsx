import "@/features/accounts/accounts-screen";
import type { Scene } from "@dev/mock/scenes";
import { openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";

const status = async () => within(await screen.findByRole("contentinfo", { name: "Status" }));
const open = async (scene: Scene, word: string) => {
  const app = openApp("/accounts", scene);
  await app.user.click(await (await status()).findByRole("button", { name: word }));
  return { ...app, dialog: within(await screen.findByRole("dialog")) };
};

describe("the vault in the status bar", () => {
  it.each<[Scene, string]>([
    ["usual", "Vault open · keychain"],
    ["vault_passphrase", "Vault open · passphrase"],
    ["vault_run", "Vault open · this session only"],
    ["vault_locked", "Vault locked"],
    ["vault_keychain", "Vault locked"],
    ["vault_none", "Set up vault"],
    ["vault_gone", "Vault locked"],
    ["vault_waiting", "Waiting for keychain"],
    ["vault_opening", "Opening vault"],
    ["vault_closed", "Vault not in use"],
  ])("has a word for %s", async (scene, word) => {
    openApp("/settings", scene);
    await (await status()).findByRole("button", { name: word });
  });
});

describe("a banner", () => {
  it("stands where the vault blocks something, and lasts while it is for this run only", async () => {
    openApp("/accounts", "vault_run");
    expect((await screen.findByRole("note")).textContent).toContain(
      "You’ll be signed out and have to re-enter secrets when Mooring quits.",
    );
  });
  it.each<Scene>(["usual", "vault_closed", "vault_passphrase"])("is absent where nothing has to be done: %s", async (scene) => {
    openApp("/accounts", scene);
    await screen.findByRole("grid", { name: "Accounts" });
    expect(screen.queryByRole("note")).toBeNull();
    expect(screen.queryByRole("alert")).toBeNull();
  });
});

describe("a locked vault", () => {
  it("stays locked after a wrong passphrase, says so at the field, and opens with the right one", async () => {
    const { user, host, dialog } = await open("vault_locked", "Vault locked");
    const field = dialog.getByLabelText("Passphrase");
    expect(document.activeElement).toBe(field);
    await user.type(field, "wrong{Enter}");
    await dialog.findByText("Wrong passphrase. Try again.");
    expect(host.vault.view.state).toBe("locked");
    expect(field).toHaveProperty("value", "");
    await user.type(field, "correct horse{Enter}");
    await screen.findByText("Vault unlocked.");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await (await status()).findByText("Vault open · passphrase");
  });
  it("says what brings the key back, and starts over only when what is lost was agreed to", async () => {
    const { user, host, dialog } = await open("vault_missing", "Vault locked");
    dialog.getByText(/no longer has the key that encrypts your secrets/);
    dialog.getByRole("button", { name: "Try again" });
    await user.click(dialog.getByRole("button", { name: "Delete all logins and secrets…" }));
    const sure = within(await screen.findByRole("dialog", { name: "Start over with an empty vault?" }));
    sure.getByText("This deletes the key and everything encrypted with it. You can’t undo this.");
    sure.getByText(/5 accounts are signed out here/);
    sure.getByText("2 encrypted variables and headers have to be entered again.");
    const over = sure.getByRole("button", { name: "Start over" });
    expect(over).toHaveProperty("disabled", true);
    await user.click(sure.getByRole("checkbox"));
    await user.click(over);
    await screen.findByText("No accounts yet");
    expect(host.vault.view.mode).toBeNull();
    expect(host.servers.flatMap((server) => server.secrets).some((secret) => secret.entered)).toBe(false);
  });
  it("is tried again after the keychain was unlocked", async () => {
    const { user, host, dialog } = await open("vault_keychain", "Vault locked");
    await user.click(dialog.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(host.vault.view.state).toBe("open"));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });
});

describe("a computer without a keychain", () => {
  it("offers a passphrase or this run only, each with what it means", async () => {
    const { user, host, dialog } = await open("vault_none", "Set up vault");
    dialog.getByText(/If you forget it, saved logins and secrets are lost/);
    dialog.getByText(/You’ll be signed out and have to re-enter secrets when Mooring quits/);
    expect(dialog.queryByRole("radio", { name: /System keychain/ })).toBeNull();
    const submit = dialog.getByRole("button", { name: "Use this passphrase" });
    await user.type(dialog.getByLabelText("New passphrase"), "four un");
    await dialog.findByText("Too short");
    expect(submit).toHaveProperty("disabled", true);
    await user.clear(dialog.getByLabelText("New passphrase"));
    await user.type(dialog.getByLabelText("New passphrase"), "four unrelated words here");
    await dialog.findByText("Good");
    await user.type(dialog.getByLabelText("Confirm passphrase"), "four unrelated words hers");
    await dialog.findByText("The passphrases don’t match.");
    await user.clear(dialog.getByLabelText("Confirm passphrase"));
    await user.type(dialog.getByLabelText("Confirm passphrase"), "four unrelated words here{Enter}");
    await waitFor(() => expect(host.vault.view).toMatchObject({ state: "open", mode: "passphrase" }));
  });
  it("lets a person go on for this run", async () => {
    const { user, host, dialog } = await open("vault_none", "Set up vault");
    await user.click(dialog.getByRole("radio", { name: /This session only/ }));
    await user.click(dialog.getByRole("button", { name: "Use for this session" }));
    await waitFor(() => expect(host.vault.view).toMatchObject({ state: "open", mode: "memory" }));
  });
});

describe("a vault at rest", () => {
  it("can be opened before anything needs it, and offers nothing dangerous", async () => {
    const { user, host, dialog } = await open("vault_closed", "Vault not in use");
    expect(dialog.queryByRole("button", { name: "Delete all logins and secrets…" })).toBeNull();
    await user.click(dialog.getByRole("button", { name: "Open now" }));
    await waitFor(() => expect(host.vault.view.state).toBe("open"));
    await screen.findByText("Vault unlocked.");
  });
});

describe("the key of an open vault", () => {
  it("moves to another place", async () => {
    const { user, host } = openApp("/accounts?view=secrets", "vault_run");
    await user.click(await screen.findByRole("button", { name: "Change or move key…" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Change or move the vault key" }));
    expect(dialog.getByRole("radio", { name: /System keychain/ })).toHaveProperty("checked", true);
    await user.click(dialog.getByRole("button", { name: "Move key" }));
    await screen.findByText("Key changed. Everything is encrypted with the new key.");
    expect(host.vault.view.mode).toBe("keychain");
  });
});
