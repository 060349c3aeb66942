// Trust: what is approved of a server, what is new, what has changed.

import { shows } from "../demo.mjs";

export const screen = "Trust";

const local = "/servers?id=1&tab=trust";
const many = "/servers?id=2&tab=trust";
const changed = "/servers?id=6&tab=trust";

const review = (visitor) => visitor.click("button", "trust:changed.review");

export const scenes = {
  trust: { at: local },
  "trust-item-open": { at: local, act: (visitor) => visitor.clickCss("section + section li button") },
  "trust-new": { scene: "trust_new", at: local },
  "trust-new-many": { at: many },
  "trust-nothing-found": { at: many, act: (visitor) => visitor.fill(visitor.t("trust:items.search"), "zzz") },
  "trust-unseen": { at: "/servers?id=10&tab=trust" },
  "trust-changed": { at: changed },
  "trust-not-for-apps": { at: changed, act: (visitor) => visitor.clickCss("section + section li:nth-child(3) button") },
  "trust-changed-end": { at: changed, act: (visitor) => visitor.scrollPane() },
  "trust-change-reviewed": { at: changed, act: review },
  "trust-change-in-words": { scene: "trust_words", at: `${changed}&review=true` },
  "trust-change-next": {
    scene: "trust_words",
    at: `${changed}&review=true`,
    act: (visitor) => visitor.click("button", "trust:place.next"),
  },
  "trust-turned-off": { scene: "trust_words", at: `${changed}&review=true`, act: (visitor) => visitor.click("button", "trust:turnOff") },
  "trust-command-changed": { scene: "trust_definition", at: local, act: review },
  "trust-address-changed": { scene: "trust_definition", at: many, act: review },
  "trust-changed-meanwhile": {
    scene: "trust_moved",
    at: changed,
    act: async (visitor) => {
      await review(visitor);
      await visitor.click("button", "trust:approve.anyway");
    },
  },
  "trust-hidden": { scene: "trust_hidden", at: local },
  "trust-hidden-characters": { scene: "trust_hidden", at: local, act: (visitor) => visitor.clickNamed("button", /^pаy_invoice/) },
  "trust-abridged": { scene: "trust_hidden", at: local, act: (visitor) => visitor.clickNamed("button", /^atlas/) },
  // The approving button is enabled after a second.
  review: { at: "/review", act: (visitor) => visitor.css("main > header button:enabled") },
  "review-selected": {
    at: "/review",
    act: async (visitor) => {
      // The first item of the list is reviewed separately.
      await visitor.clickCss("section li:nth-child(2) [role=checkbox]");
      await visitor.clickCss("section li:nth-child(3) [role=checkbox]");
      await visitor.css("footer button:enabled:nth-of-type(2)");
    },
  },
  "review-one": { at: "/review", act: (visitor) => visitor.clickNamed("button", /^forecast/) },
  "review-none": { scene: "empty", at: "/review" },
  "trust-unread": { scene: "failed_get_trust", at: local },
};

export const inWindow = { "server-trust": shows("/servers?id=DEMO&tab=trust", "trust:items.title") };
