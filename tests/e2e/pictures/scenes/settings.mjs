// Settings: each section, the search, and the messages next to settings. Folders have their own file.

import { address, startsWith } from "../../person.mjs";
import { shows } from "../demo.mjs";

export const screen = "Settings";

const at = "/settings";
const section = (name) => `/settings?section=${name}`;

/** Sets a limit. */
const limit = (name, text) => async (visitor) => {
  await visitor.fill(new RegExp(`^${visitor.t(`settings:limits.${name}.label`)}`), text);
  await visitor.press("Enter");
};

/** Searches for this key's text. */
const find = (key) => async (visitor) => {
  await visitor.fillCss("[role=searchbox]", visitor.t(key));
};

/** Chooses this key's text from a list. */
const choose = (list, option) => async (visitor) => {
  await visitor.click("combobox", list);
  await visitor.click("option", option);
};

export const scenes = {
  settings: { at, list: true },
  "settings-saved": { at, act: (visitor) => visitor.click("radio", "settings:appearance.density.compact") },
  "settings-compact": { at, query: "&density=compact" },
  "settings-not-saved": { scene: "failed_set_settings", at, act: (visitor) => visitor.click("radio", "settings:appearance.theme.dark") },
  "settings-language-open": {
    at,
    act: (visitor) => visitor.clickNamed("combobox", new RegExp(`^${visitor.t("settings:appearance.language.label")}`)),
  },
  "settings-zoom-open": { at, act: (visitor) => visitor.click("combobox", "settings:appearance.zoom.label") },
  "settings-zoomed": { at, act: (visitor) => visitor.press("Control", "=") },
  "settings-terminals": { scene: "terminals", at: "/settings?setting=terminals", list: true },
  "settings-background": { at: section("background") },
  "settings-background-no-tray": { scene: "no_tray", at: section("background") },
  "settings-notifications": { at: section("notifications") },
  "settings-notifications-quiet": {
    at: section("notifications"),
    act: choose("settings:notifications.doNotDisturb.label", "settings:notifications.doNotDisturb.tomorrow"),
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
      await choose("settings:network.proxy.label", "settings:network.proxy.custom")(visitor);
      await visitor.fill(visitor.t("settings:network.proxy.url"), "proxy.example.com:3128");
      await visitor.press("Enter");
    },
  },
  "settings-network-proxy-wrong": {
    at: section("network"),
    act: async (visitor) => {
      await choose("settings:network.proxy.label", "settings:network.proxy.custom")(visitor);
      await visitor.fill(visitor.t("settings:network.proxy.url"), "http://me:word@proxy.example.com");
      await visitor.press("Enter");
    },
  },
  "settings-network-trust": {
    at: section("network"),
    act: (visitor) => visitor.chooseFile("[data-setting=certificates] input[type=file]", "ca.pem"),
  },
  "settings-log": { at: section("log") },
  "settings-log-delete": { at: section("log"), act: (visitor) => visitor.click("button", "settings:log.events.delete") },
  "settings-log-shorter": {
    at: section("log"),
    act: async (visitor) => {
      await visitor.click("combobox", "settings:log.keepLogDays.label");
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
      await visitor.fill(visitor.t("settings:sign_in.clientDocument.label"), "http://x");
      await visitor.press("Enter");
    },
  },
  "settings-shortcuts": { at: section("shortcuts") },
  "settings-shortcuts-end": { at: section("shortcuts"), act: (visitor) => visitor.scroll() },
  "settings-about": { at: section("about") },
  "settings-notices": { at: section("about"), act: (visitor) => visitor.click("button", "settings:about.show") },
  "settings-checks": {
    at: section("about"),
    act: async (visitor) => {
      await visitor.click("button", "settings:about.check");
      await visitor.find("button", visitor.t("doctor:save"));
      await visitor.rest();
    },
  },
  "settings-no-notices": { scene: "empty", at: section("about") },
  "settings-linked": { at: "/settings?setting=requestIdleSeconds" },
  "settings-search": { at, act: find("settings:limits.title") },
  "settings-search-nothing": { at, act: (visitor) => visitor.fillCss("[role=searchbox]", "zzz") },
  "settings-unread": { scene: "failed_get_settings", at },
};

export const inWindow = {
  ...Object.fromEntries(
    Object.entries({
      appearance: "settings:appearance.density.label",
      background: "settings:background.startAtLogin.label",
      notifications: "settings:notifications.doNotDisturb.label",
      folders: "settings:folders.text",
      limits: "settings:limits.requestIdleSeconds.label",
      log: "settings:log.maxLogMiB.label",
      programs: "settings:programs.path.label",
      data: "settings:data.backup.label",
      sign_in: "settings:sign_in.clientDocument.label",
      shortcuts: "common:shortcuts.window.help",
      about: "settings:about.honest.label",
    }).map(([section, part]) => [`settings-${section.replace("_", "-")}`, shows(`/settings?section=${section}`, part)]),
  ),
  "settings-search": async ({ session, t }) => {
    await address(session, "/settings");
    await (await session.byRole("searchbox", t("settings:search"))).fill(t("settings:limits.requestIdleSeconds.label"));
    await session.byRole("textbox", startsWith(t("settings:limits.requestIdleSeconds.label")));
  },
};
