// The vault in every state, by scene: vault_closed, vault_opening, vault_waiting, vault_passphrase (open with one),
// vault_run (open for this run), vault_locked (waits for “correct horse”), vault_keychain, vault_missing, vault_other,
// vault_ended (of a run that ended), servers_locked and apps_sealed (the same, with servers or an app that wait for
// it), vault_none (no keychain, no key yet), vault_gone (a key in a missing keychain).
import type { VaultView } from "@/ipc/bindings/VaultView";
import type { Args } from "./handlers";
import { Part, refuse, wait } from "./part";
import { said } from "./say";
import type { Scene } from "./scenes";

const restore = said(
  "Restore the keychain from a backup or from the account that you signed in with, and try again; or start over, which signs you out everywhere on this computer. Nothing was changed.",
);
const open: VaultView = { state: "open", mode: "keychain", reason: null, message: null, next: null, sealed: 9 };
const settled = { state: "open", reason: null, message: null, next: null } as const;
const locked = (reason: string, message: VaultView["message"], next: VaultView["next"], part: Partial<VaultView> = {}): VaultView => ({
  ...open,
  state: "locked",
  reason,
  message,
  next,
  ...part,
});

const passphrase = locked("passphrase", said("your secrets are locked until you enter the passphrase"), said("Enter the passphrase."), {
  mode: "passphrase",
});
const keychain = locked("keychain_locked", said("the system keychain is locked"), said("Unlock your keychain and try again."));

const views: Partial<Record<Scene, VaultView>> = {
  vault_closed: { ...open, state: "closed" },
  vault_opening: { ...open, state: "opening" },
  vault_waiting: {
    ...open,
    state: "waiting",
    message: said("the system keychain hasn’t answered yet"),
    next: said("Look for your keychain’s password prompt."),
  },
  vault_passphrase: { ...open, mode: "passphrase" },
  vault_run: { ...open, mode: "memory", sealed: 3 },
  vault_locked: passphrase,
  servers_locked: passphrase,
  apps_sealed: passphrase,
  sign_in_vault: keychain,
  vault_keychain: keychain,
  vault_missing: locked("key_missing", said("the system keychain no longer has the key that encrypts your secrets"), restore),
  vault_other: locked("other_key", said("the system keychain has a different key than the one that encrypts your secrets"), restore),
  vault_ended: locked(
    "memory",
    said("your secrets were encrypted for one session only, which has ended or is still running elsewhere"),
    said("Start over and sign in again, or continue in the window that is still open."),
    { mode: "memory" },
  ),
  vault_none: locked(
    "no_keychain",
    said("no system keychain was found"),
    said("Start a keychain such as GNOME Keyring, KWallet or KeePassXC and try again, or choose a passphrase or this session only."),
    { state: "unavailable", mode: null, sealed: 0 },
  ),
  vault_gone: locked(
    "keychain_failed",
    said("the system keychain failed: {detail}", { detail: "org.freedesktop.DBus.Error.NoReply" }),
    said("Try again."),
    { state: "unavailable" },
  ),
};

export class Vault extends Part {
  view = views[this.scene] ?? open;

  private async put(part: Partial<VaultView>): Promise<VaultView> {
    await wait(this.host.pace);
    this.view = { ...this.view, ...part };
    this.host.tell({ kind: "vault" });
    return this.view;
  }

  get_vault = async () => this.view;
  /** The person unlocks the keychain; a missing key stays missing. */
  open_vault = async () => this.put(this.view.reason === "keychain_locked" || this.view.state === "closed" ? settled : {});
  create_vault = async ({ choice: { mode } }: Args<"create_vault">) => this.put({ ...settled, mode });
  rekey_vault = this.create_vault;

  async unlock(passphrase: string): Promise<VaultView> {
    if (passphrase !== "correct horse") refuse("wrong_passphrase", said("wrong passphrase"));
    return this.put(settled);
  }

  startOver(): Promise<VaultView> {
    return this.put({ ...settled, state: "closed", mode: null, sealed: 0 });
  }
}
