// Accounts: accounts, encrypted values, and the vault in every state.

import { startsWith } from "../../person.mjs";

export const screen = "Accounts and vault";

const secrets = "/accounts?view=secrets";
const login = (id) => `/accounts?id=${id}&open=true`;

/** Opens the vault dialog from the status bar. */
const openVault = async (visitor) => {
  await visitor.clickCss("footer button", -1);
  await visitor.find("dialog");
};

/** The vault dialog in this state. */
const vault = (scene, ...steps) => ({
  scene,
  at: "/servers",
  act: async (visitor) => {
    await openVault(visitor);
    for (const step of steps) await step(visitor);
  },
});

/** Presses a button. */
const press = (key) => (visitor) => visitor.clickBeginning("button", key);
const secret = (at, text) => (visitor) => visitor.fillCss("[role=dialog] input", text, at);

export const scenes = {
  "accounts-none": { scene: "empty", at: "/accounts" },
  accounts: { at: "/accounts", list: true },
  "accounts-long-names": { scene: "long", at: "/accounts", list: true },
  "accounts-unread": { scene: "failed_list_accounts", at: "/accounts" },
  "accounts-filtered-to-nothing": {
    at: "/accounts",
    act: async (visitor) => {
      await (await visitor.find("textbox", visitor.t("accounts:filter.label"))).fill("zeppelin");
      await visitor.rest();
    },
  },
  "accounts-menu-open": { at: "/accounts", act: (visitor) => visitor.click("button", "accounts:action.more") },
  "account-renews": { at: login(1) },
  "account-ends-soon": { at: login(3) },
  "account-expired": { at: login(4) },
  "account-plain": { at: login(5) },
  "account-ended": { at: login(6) },
  "account-long-names": { scene: "long", at: login(1) },
  "account-odd-scopes": { scene: "long", at: login(2), act: (visitor) => visitor.scrollPane() },
  "account-sign-out": { at: login(1), act: press("accounts:action.signOut") },
  "account-signed-out": {
    at: login(1),
    query: "&pace=0",
    act: async (visitor) => {
      await press("accounts:action.signOut")(visitor);
      await visitor.clickCss("[role=dialog] footer button:last-child");
    },
  },
  "account-signed-out-tokens-kept": {
    at: login(5),
    query: "&pace=0",
    act: async (visitor) => {
      await press("accounts:action.signOut")(visitor);
      await visitor.clickCss("[role=dialog] footer button:last-child");
    },
  },
  "accounts-sign-out-all": {
    at: "/accounts",
    act: async (visitor) => {
      await visitor.clickNamed("button", visitor.t("accounts:action.more"));
      await visitor.clickNamed("menuitem", startsWith(visitor.t("accounts:action.signOutAll")));
    },
  },

  secrets: { at: secrets, list: true },
  "secrets-none": { scene: "empty", at: secrets },
  "secrets-unread": { scene: "failed_list_secrets", at: secrets },
  "secrets-vault-at-rest": { scene: "vault_closed", at: secrets },
  "secrets-vault-passphrase": { scene: "vault_passphrase", at: secrets },
  "secrets-vault-this-run": { scene: "vault_run", at: secrets },
  "secrets-vault-locked": { scene: "vault_locked", at: secrets },
  "secrets-vault-waiting": { scene: "vault_waiting", at: secrets },
  "secrets-vault-missing": { scene: "vault_missing", at: secrets },
  "accounts-vault-locked": { scene: "vault_locked", at: "/accounts" },
  "accounts-vault-this-run": { scene: "vault_run", at: "/accounts" },
  "accounts-vault-none": { scene: "vault_none", at: "/accounts" },

  "vault-open": { at: "/servers", act: openVault },
  "vault-at-rest": vault("vault_closed"),
  "vault-opening": vault("vault_opening"),
  "vault-waiting": vault("vault_waiting"),
  "vault-passphrase": vault("vault_passphrase"),
  "vault-this-run": vault("vault_run"),
  "vault-locked": vault("vault_locked"),
  "vault-locked-wrong-passphrase": { ...vault("vault_locked", secret(0, "wrong"), press("vault:unlock.submit")), query: "&pace=0" },
  "vault-keychain-locked": vault("vault_keychain"),
  "vault-key-missing": vault("vault_missing"),
  "vault-other-key": vault("vault_other"),
  "vault-run-ended": vault("vault_ended"),
  "vault-no-place": vault("vault_none"),
  "vault-no-place-passphrase": vault(
    "vault_none",
    (visitor) => visitor.clickNamed("radio", startsWith(visitor.t("vault:choice.passphrase.name"))),
    secret(-2, "short"),
    secret(-1, "shorter"),
  ),
  "vault-no-place-this-run": vault("vault_none", (visitor) =>
    visitor.clickNamed("radio", startsWith(visitor.t("vault:choice.memory.name"))),
  ),
  "vault-keychain-gone": vault("vault_gone"),
  "vault-move": { at: secrets, act: press("vault:card.change") },
  "vault-start-over": { at: secrets, act: press("vault:card.startOver") },
};
