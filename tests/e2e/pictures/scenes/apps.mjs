// Apps: the list, one app, what connecting changes, and the entry to copy.

export const screen = "Apps";

const at = "/apps";
const app = (id) => `${at}?id=${id}&open=true`;

/** Opens what connecting this app would change. */
const connect = async (visitor) => {
  await visitor.click("button", "apps:connect.action");
  await visitor.find("dialog");
  await visitor.rest(400);
};

export const scenes = {
  "apps-list": { at },
  "apps-none": { scene: "empty", at },
  "apps-unread": { scene: "failed_list_apps", at },
  "app-detail": { at: app("claude-code") },
  "app-changed": { scene: "apps_changed", at: app("claude-code") },
  "app-unreadable": { at: app("codex") },
  "app-by-hand": { at: app("pier-bot") },
  "app-connect-diff": { at: app("cursor"), act: connect },
  "app-connect-outdated": {
    scene: "apps_outdated",
    at: app("cursor"),
    act: async (visitor) => {
      await connect(visitor);
      await visitor.clickCss("[role=dialog] footer button", -1);
      await visitor.rest(400);
    },
  },
  "app-disconnect-diff": {
    at: app("claude-code"),
    act: async (visitor) => {
      await visitor.click("button", "apps:disconnect.action");
      await visitor.find("dialog");
      await visitor.rest(400);
    },
  },
  "app-import": {
    at: app("cursor"),
    act: async (visitor) => {
      await visitor.click("button", "apps:own.import");
      await visitor.find("dialog");
      await visitor.rest(400);
    },
  },
  "app-snippet": {
    at,
    act: async (visitor) => {
      await visitor.click("button", "apps:snippet.other");
      await visitor.find("dialog");
      await visitor.rest(400);
    },
  },
};
