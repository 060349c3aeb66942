// The Inbox around its questions: waiting, decided, muted, gone.

import { shows } from "../demo.mjs";

export const screen = "Inbox";

const decisions = "#inbox-decided";

export const scenes = {
  "inbox-empty": { scene: "empty", at: "/inbox" },
  "inbox-nothing-waits": { at: "/inbox", list: true },
  "inbox-vault-locked": { scene: "servers_locked", at: "/inbox" },
  "inbox-loading": { scene: "slow", at: "/inbox", loading: true },
  "inbox-decisions": { at: "/inbox/decisions", list: true },
  "inbox-decision-open": { at: "/inbox/decisions", act: (visitor) => visitor.clickCss("main [role=option]") },
  "inbox-decisions-filtered": { at: "/inbox/decisions?outcome=declined" },
  "inbox-decisions-none-match": { at: "/inbox/decisions?text=nothing" },
  "inbox-decisions-none": { scene: "empty", at: "/inbox/decisions" },
  "inbox-decisions-failed": { scene: "inbox_undecided", at: "/inbox/decisions" },
  "inbox-put-off": { scene: "inbox", at: "/inbox?id=11", act: (visitor) => visitor.press("z") },
  "inbox-rule-removed": { at: "/inbox", act: (visitor) => visitor.clickCss("main li button") },
  "inbox-scope": {
    scene: "inbox_scope",
    at: "/inbox",
    act: async (visitor) => {
      await visitor.click("radio", "inbox:remember.scope.hour");
      await visitor.bring("[role=radiogroup]");
    },
  },
  "inbox-silenced": { scene: "inbox_silenced", at: "/inbox" },
  "inbox-unread": { scene: "inbox_unread", at: "/inbox" },
  "inbox-decisions-unread": { scene: "inbox_undecided", at: "/inbox", act: (visitor) => visitor.bring(decisions) },
  "inbox-queue-of-one-server": { scene: "inbox_queue", at: "/inbox" },
  "inbox-queue-of-many": { scene: "inbox_edges", at: "/inbox" },
  "inbox-question-withdrawn": { scene: "inbox_gone", at: "/inbox?id=12", act: (visitor) => visitor.shows("inbox:gone.next") },
  "inbox-question-expired": { scene: "inbox_expired", at: "/inbox?id=12", act: (visitor) => visitor.shows("inbox:gone.next") },
  "inbox-focus-in-queue": {
    scene: "inbox",
    at: "/inbox?id=11",
    act: async (visitor) => {
      await visitor.focus("[aria-current=true]");
      await visitor.press("k");
    },
  },
  "inbox-focus-in-answers": {
    scene: "inbox",
    at: "/inbox?id=11",
    act: async (visitor) => {
      await visitor.focus("main [role=radio]");
      await visitor.press("Tab");
      await visitor.press("Tab");
    },
  },
  "inbox-first-arrives": {
    scene: "inbox_arrival",
    at: "/servers",
    act: (visitor) => visitor.find("button", visitor.t("inbox:arrived.open")),
  },
};

export const inWindow = { "inbox-empty": shows("/inbox", "inbox:empty.title") };
