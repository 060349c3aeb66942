// The vault in every state, by the scene: vault_closed, vault_opening, vault_waiting, vault_passphrase (open so), vault_run (open for
// this run), vault_locked (waits for “correct horse”), vault_keychain, vault_missing, vault_other, vault_ended (of a run that ended),
// servers_locked and apps_sealed (the same, with servers or an app that wait for it), vault_none (no keychain, no key yet), vault_gone (a key in a keychain that is not there).
import type { VaultChoice } from "@/ipc/bindings/VaultChoice";
import type { VaultView } from "@/ipc/bindings/VaultView";
import { said } from "./say";
import type { Scene } from "./scenes";

const restore = said(
  "Restore the keychain from a backup or from the account that you signed in with, and try again; or start over, which signs you out everywhere on this computer. Nothing was changed.",
);
const provide = said(
  "Start a keychain such as GNOME Keyring, KWallet or KeePassXC and try again, or choose a passphrase or this session only.",
);

function viewFor(scene: Scene): VaultView {
  const open: VaultView = { state: "open", mode: "keychain", reason: null, message: null, next: null, sealed: 9 };
  const locked = (
    reason: string,
    message: VaultView["message"],
    next: VaultView["next"],
    mode: VaultView["mode"] = "keychain",
  ): VaultView => ({ ...open, state: "locked", mode, reason, message, next });
  switch (scene) {
    case "vault_closed":
      return { ...open, state: "closed" };
    case "vault_opening":
      return { ...open, state: "opening" };
    case "vault_waiting":
      return {
        ...open,
        state: "waiting",
        message: said("the system keychain hasn’t answered yet"),
        next: said("Look for your keychain’s password prompt."),
      };
    case "vault_passphrase":
      return { ...open, mode: "passphrase" };
    case "vault_run":
      return { ...open, mode: "memory", sealed: 3 };
    case "vault_locked":
    case "servers_locked":
    case "apps_sealed":
      return locked(
        "passphrase",
        said("your secrets are locked until you enter the passphrase"),
        said("Enter the passphrase."),
        "passphrase",
      );
    case "sign_in_vault":
    case "vault_keychain":
      return locked("keychain_locked", said("the system keychain is locked"), said("Unlock your keychain and try again."));
    case "vault_missing":
      return locked("key_missing", said("the system keychain no longer has the key that encrypts your secrets"), restore);
    case "vault_other":
      return locked("other_key", said("the system keychain has a different key than the one that encrypts your secrets"), restore);
    case "vault_ended":
      return locked(
        "memory",
        said("your secrets were encrypted for one session only, which has ended or is still running elsewhere"),
        said("Start over and sign in again, or continue in the window that is still open."),
        "memory",
      );
    case "vault_none":
      return {
        ...open,
        state: "unavailable",
        mode: null,
        reason: "no_keychain",
        message: said("no system keychain was found"),
        next: provide,
        sealed: 0,
      };
    case "vault_gone":
      return {
        ...open,
        state: "unavailable",
        reason: "keychain_failed",
        message: said("the system keychain failed: {detail}", { detail: "org.freedesktop.DBus.Error.NoReply" }),
        next: said("Try again."),
      };
    default:
      return open;
  }
}

const wait = (ms: number) =>
  new Promise<void>((done) => {
    setTimeout(done, ms);
  });
const refused = (code: string, message: ReturnType<typeof said>) =>
  Promise.reject(Object.assign(new Error(message.text), { code, message, details: null }));

export class Vault {
  view: VaultView;
  private readonly pace: number;
  private readonly tell: () => void;

  constructor(scene: Scene, pace: number, tell: () => void) {
    this.view = viewFor(scene);
    this.pace = pace;
    this.tell = tell;
  }

  private put(part: Partial<VaultView>): VaultView {
    this.view = { ...this.view, ...part };
    this.tell();
    return this.view;
  }

  /** The person unlocked the keychain, or not. */
  async open(): Promise<VaultView> {
    await wait(this.pace);
    if (this.view.reason !== "keychain_locked" && this.view.state !== "closed") return this.view;
    return this.put({ state: "open", reason: null, message: null, next: null });
  }

  async unlock(passphrase: string): Promise<VaultView> {
    await wait(this.pace);
    if (passphrase !== "correct horse") return refused("wrong_passphrase", said("wrong passphrase"));
    return this.put({ state: "open", reason: null, message: null, next: null });
  }

  async settle(choice: VaultChoice): Promise<VaultView> {
    await wait(this.pace);
    if (choice.mode === "passphrase" && (choice.passphrase ?? "").length < 8)
      return refused(
        "unfit_passphrase",
        said("a passphrase has at least {least} characters and at most {most} bytes", { least: "8", most: "1024" }),
      );
    return this.put({ state: "open", mode: choice.mode, reason: null, message: null, next: null });
  }

  async startOver(): Promise<VaultView> {
    await wait(this.pace);
    return this.put({ state: "closed", mode: null, reason: null, message: null, next: null, sealed: 0 });
  }
}
