// Trust: what of a server was looked at, what is new, what changed since.

export const screen = "Trust";

const local = "/servers?id=1&tab=trust";
const many = "/servers?id=2&tab=trust";
const changed = "/servers?id=6&tab=trust";

export const scenes = {
  trust: { at: local },
  "trust-item-open": {
    at: local,
    act: async (visitor) => {
      await visitor.clickCss("section [aria-expanded=false]");
      await visitor.session.execute("document.querySelector('section li button[aria-expanded=false]')?.click()");
    },
  },
  "trust-new": { scene: "trust_new", at: local },
  "trust-new-many": { at: many },
  "trust-nothing-found": { at: many, act: (visitor) => visitor.fill(visitor.t("trust:items.search"), "zzz") },
  "trust-unseen": { at: "/servers?id=10&tab=trust" },
  "trust-changed": { at: changed },
  "trust-changed-middle": { at: changed, act: (visitor) => visitor.scrollPane(420) },
  "trust-changed-end": { at: changed, act: (visitor) => visitor.scrollPane() },
  "trust-command-changed": { scene: "trust_definition", at: local },
  "trust-address-changed": { scene: "trust_definition", at: many },
  "trust-changed-meanwhile": {
    scene: "trust_moved",
    at: changed,
    act: async (visitor) => {
      await visitor.click("button", "trust:approve.changed");
      await visitor.scrollPane(0);
    },
  },
  "trust-hidden-characters": { scene: "trust_hidden", at: local },
  "trust-abridged": { scene: "trust_hidden", at: local, act: (visitor) => visitor.scrollPane(960) },
  "trust-hidden-characters-end": { scene: "trust_hidden", at: local, act: (visitor) => visitor.scrollPane() },
  "trust-unread": { scene: "failed_get_trust", at: local },
};
