// Settings: each section, the search, and what is said beside a setting. Folders have a file of their own.

export const screen = "Settings";

const at = "/settings";
const section = (name) => `/settings?section=${name}`;

/** Sets a limit. */
const limit = (name, text) => async (visitor) => {
  await visitor.fill(new RegExp(`^${visitor.t(`settings:limits.${name}.label`)}`), text);
  await visitor.press("Enter");
};

/** Looks for what this key says. */
const find = (key) => async (visitor) => {
  await visitor.fillCss("[role=searchbox]", visitor.t(key));
};

/** Chooses what this key says from a list. */
const choose = (list, option) => async (visitor) => {
  await visitor.click("combobox", list);
  await visitor.click("option", option);
};

export const scenes = {
  settings: { at, list: true },
  "settings-saved": { at, act: (visitor) => visitor.click("radio", "settings:appearance.compact") },
  "settings-compact": { at, query: "&density=compact" },
  "settings-not-saved": { scene: "failed_set_settings", at, act: (visitor) => visitor.click("radio", "settings:appearance.dark") },
  "settings-language-open": {
    at,
    act: (visitor) => visitor.clickNamed("combobox", new RegExp(`^${visitor.t("settings:appearance.language")}`)),
  },
  "settings-zoom-open": { at, act: (visitor) => visitor.click("combobox", "settings:appearance.zoom") },
  "settings-zoomed": { at, act: (visitor) => visitor.press("Control", "=") },
  "settings-terminals": { scene: "terminals", at: "/settings?setting=terminals", list: true },
  "settings-background": { at: section("background") },
  "settings-background-no-tray": { scene: "no_tray", at: section("background") },
  "settings-notifications": { at: section("notifications") },
  "settings-notifications-quiet": {
    at: section("notifications"),
    act: choose("settings:notifications.quiet", "settings:notifications.tomorrow"),
  },
  "settings-limits": { at: section("limits") },
  "settings-limits-refused": {
    at: section("limits"),
    act: async (visitor) => {
      for (const name of ["maxMessageMiB", "startTimeoutSeconds", "requestTotalSeconds"]) await limit(name, "0")(visitor);
    },
  },
  "settings-fixed": { at: section("limits"), act: (visitor) => visitor.scroll() },
  "settings-network": { scene: "offers", at: section("network") },
  "settings-network-proxy": {
    at: section("network"),
    act: async (visitor) => {
      await choose("settings:network.proxy", "settings:network.custom")(visitor);
      await visitor.fill(visitor.t("settings:network.url"), "proxy.example.com:3128");
      await visitor.press("Enter");
    },
  },
  "settings-network-proxy-wrong": {
    at: section("network"),
    act: async (visitor) => {
      await choose("settings:network.proxy", "settings:network.custom")(visitor);
      await visitor.fill(visitor.t("settings:network.url"), "http://me:word@proxy.example.com");
      await visitor.press("Enter");
    },
  },
  "settings-network-trust": {
    at: section("network"),
    act: (visitor) => visitor.chooseFile("[data-setting=certificates] input[type=file]", "ca.pem"),
  },
  "settings-log": { at: section("log") },
  "settings-log-delete": { at: section("log"), act: (visitor) => visitor.click("button", "settings:log.delete") },
  "settings-log-shorter": {
    at: section("log"),
    act: async (visitor) => {
      await visitor.click("combobox", "settings:log.keep");
      await visitor.clickCss("[role=option]");
    },
  },
  "settings-programs": { at: section("programs") },
  "settings-shell-slow": { scene: "long", at: section("programs") },
  "settings-data": { at: section("data") },
  "settings-sign-in": { at: section("sign_in") },
  "settings-document-wrong": {
    at: section("sign_in"),
    act: async (visitor) => {
      await visitor.fill(visitor.t("settings:signIn.label"), "http://x");
      await visitor.press("Enter");
    },
  },
  "settings-shortcuts": { at: section("shortcuts") },
  "settings-shortcuts-end": { at: section("shortcuts"), act: (visitor) => visitor.scroll() },
  "settings-about": { at: section("about") },
  "settings-notices": { at: section("about"), act: (visitor) => visitor.click("button", "settings:about.show") },
  "settings-no-notices": { scene: "empty", at: section("about") },
  "settings-linked": { at: "/settings?setting=requestIdleSeconds" },
  "settings-search": { at, act: find("settings:limits.title") },
  "settings-search-nothing": { at, act: (visitor) => visitor.fillCss("[role=searchbox]", "zzz") },
  "settings-unread": { scene: "failed_get_settings", at },
};
