// Apps: the list, an app, the change when connecting, and the entry to copy.

import { address } from "../../person.mjs";

export const screen = "Apps";

const at = "/apps";
const app = (id) => `${at}?id=${id}&open=true`;

/** Shows the tools of a server. */
const unfold = (server) => async (visitor) => {
  await visitor.clickNamed("button", new RegExp(`^${server}`));
  await visitor.bring("[aria-labelledby=app-sees] li li");
};

/** Presses the first button with this text, which opens a dialog. */
const opens = (key) => async (visitor) => {
  await visitor.click("button", key);
  await visitor.find("dialog");
  await visitor.rest(400);
};

/** Opens the change that connecting this app makes. */
const connect = opens("apps:connect.action");

/** Connects it and approves everything new. */
const submit = (visitor) => visitor.clickCss("[role=dialog] footer button:last-child");

/** Like `opens`, but with the button next to the message, because in a narrow window it covers the one in the list. */
const renew = async (visitor) => {
  await visitor.clickCss("aside [role=alert] button");
  await visitor.find("dialog");
  await visitor.rest(400);
};

/** Opens the dialog that takes over the apps' servers, and continues in it. */
const takeOver =
  (...presses) =>
  async (visitor) => {
    await opens("apps:takeOver.action")(visitor);
    await visitor.rest(600);
    for (const press of presses) await press(visitor);
  };

/** Opens the first file in the dialog. */
const unfoldFile = (visitor) => visitor.clickCss("[role=dialog] summary");

/** Continues after the servers have started. */
const goOn = async (visitor) => {
  await submit(visitor);
  await visitor.rest(1800);
};

/** Opens the entry for an app that isn't in the list. */
const other = async (visitor) => {
  await opens("apps:snippet.other")(visitor);
  await visitor.fillCss("[role=dialog] input", "quay");
  await visitor.find("button", visitor.t("apps:snippet.create"));
};

export const scenes = {
  "apps-list": { at, list: true },
  "take-over-first": { scene: "first_apps", at: "/servers", list: true },
  "take-over-choose": { scene: "first_apps", at: "/servers", act: takeOver() },
  "take-over-file": { scene: "first_apps", at: "/servers", act: takeOver(unfoldFile) },
  "take-over-approve": { scene: "first_apps", at: "/servers", act: takeOver(goOn) },
  "take-over-lead": { scene: "first_apps", at: "/servers", act: takeOver(goOn, submit) },
  "take-over-doubled": { at: app("claude-code"), act: opens("apps:own.remove") },
  "apps-none": { scene: "empty", at },
  "apps-unread": { scene: "failed_list_apps", at },
  "app-detail": { at: app("claude-code") },
  "app-running": { scene: "apps_running", at: app("claude-code") },
  "app-changed": { scene: "apps_changed", at: app("claude-code") },
  "app-in-repository": {
    scene: "apps_in_repository",
    at: app("cursor"),
    act: async (visitor) => {
      await connect(visitor);
      await submit(visitor);
      await visitor.rest(400);
    },
  },
  "app-in-repository-diff": { scene: "apps_in_repository", at: app("cursor"), act: connect },
  "app-shared-key": { scene: "apps_in_repository", at: app("claude-code") },
  "app-shared-key-diff": { scene: "apps_in_repository", at: app("claude-code"), act: opens("apps:takeKeyOut.action") },
  "app-renew": { scene: "apps_renew", at: app("cursor") },
  "app-refused": { scene: "apps_renew", at: app("zed") },
  "app-broken": { scene: "apps_renew", at: app("codex") },
  "app-renew-diff": { scene: "apps_renew", at: app("cursor"), act: renew },
  "app-renew-key": {
    at: app("claude-code"),
    act: async (visitor) => {
      await visitor.click("button", "apps:menu.more");
      await visitor.click("menuitem", "apps:renewKey.action");
      await visitor.find("dialog");
      await visitor.rest(400);
    },
  },
  "app-key-waits-for-vault": { scene: "apps_sealed", at: app("claude-code") },
  "app-allowed": { scene: "apps_keyless", at: app("pier-bot") },
  "app-not-allowed": { scene: "apps_keyless", at: app("gull") },
  "app-remove-key": { at: app("pier-bot"), act: opens("apps:remove.keyed") },
  "app-token-of-before": { scene: "apps_keyless", at: app("pier-bot"), act: (visitor) => visitor.scrollPane() },
  "app-cost": { at: app("claude-code"), act: unfold("postgres-prod") },
  "app-search": { scene: "apps_limited", at: app("claude-code") },
  "app-pinned": { scene: "apps_limited", at: app("claude-code"), act: unfold("postgres-prod") },
  "app-unapproved": { scene: "apps_unapproved", at: app("claude-code"), act: unfold("filesystem") },
  "app-no-offers": {
    scene: "apps_limited",
    at: app("pier-bot"),
    act: (visitor) => visitor.bring("[aria-labelledby=app-sees] > ul:last-of-type"),
  },
  "app-cost-unread": { scene: "failed_app_cost", at: app("claude-code") },
  "app-http-off": { at: app("cursor"), act: (visitor) => visitor.scrollPane() },
  "app-http": { scene: "apps_http", at: app("pier-bot"), act: (visitor) => visitor.scrollPane() },
  "app-http-new": {
    scene: "apps_http",
    at: app("cursor"),
    act: async (visitor) => {
      await visitor.click("button", "apps:http.create");
      await visitor.scrollPane();
    },
  },
  "app-http-revoke": { scene: "apps_http", at: app("pier-bot"), act: opens("apps:http.revoke.action") },
  "app-http-revoked": {
    scene: "apps_http",
    at: app("pier-bot"),
    act: async (visitor) => {
      await visitor.click("button", "apps:http.revoke.action");
      await visitor.click("button", "apps:http.revoke.submit");
      await visitor.scrollPane();
    },
  },
  "app-unreadable": { at: app("codex") },
  "app-by-hand": { at: app("pier-bot") },
  "app-connect-diff": {
    at: app("cursor"),
    act: async (visitor) => {
      await connect(visitor);
      await visitor.clickCss("[role=dialog] details summary", -1);
    },
  },
  "app-connect-gets": { scene: "apps_unapproved", at: app("cursor"), act: connect },
  "app-connected": {
    at: app("cursor"),
    act: async (visitor) => {
      await connect(visitor);
      await submit(visitor);
      await visitor.find("button", visitor.t("apps:lead.done"));
      await visitor.rest(400);
    },
  },
  "app-connect-outdated": {
    scene: "apps_outdated",
    at: app("cursor"),
    act: async (visitor) => {
      await connect(visitor);
      await visitor.clickCss("[role=dialog] footer button", -1);
      await visitor.rest(400);
    },
  },
  "app-disconnect-diff": { at: app("claude-code"), act: opens("apps:disconnect.action") },
  "app-import": { at: app("cursor"), act: opens("apps:own.import") },
  "app-snippet": { at, act: opens("apps:snippet.other") },
  "app-other-named": { at, act: other },
  "app-other-key": {
    at,
    act: async (visitor) => {
      await other(visitor);
      await visitor.click("button", "apps:snippet.create");
      await visitor.shows("apps:snippet.once");
    },
  },
};

export const inWindow = {
  apps: async ({ session, t }) => {
    await address(session, "/apps");
    await session.byRole("button", t("apps:snippet.other"));
  },
};
