// Servers: the list in its states, and the details of each server.

import { address, startsWith } from "../../person.mjs";
import { shows } from "../demo.mjs";

export const screen = "Servers";

const filter = (text) => async (visitor) => {
  await (await visitor.find("textbox", visitor.t("servers:filter.label"))).fill(text);
  await visitor.rest();
};

/** Opens a tab of a server's details. */
const details = (id, tab = "overview", more = {}) => ({ at: `/servers?id=${id}&tab=${tab}`, ...more });
const end = (visitor) => visitor.scrollPane();
/** An instance of a server, next to the shared one. */
const INSTANCE = "aside section[tabindex] > ul > li";

/** The Settings tab of a server, with its first text field changed. */
const changed =
  (...steps) =>
  async (visitor) => {
    await visitor.fill(visitor.t("servers:form.command.label"), "npx -y @acme/harbour@2.1.0");
    for (const step of steps) await step(visitor);
  };

/** The dialog with a bundle. */
const opened = (visitor) => visitor.css("[role=dialog] footer button");
const reviewed = async (visitor) => {
  await opened(visitor);
  await visitor.css("[role=dialog] footer button:nth-of-type(2):not(:disabled)");
};
const reviewedToTheEnd = async (visitor) => {
  await opened(visitor);
  await visitor.css("[role=dialog] form");
  await visitor.scrollDialog();
};

/** The checks of a server, after all of them have a result. */
const checks = (id) =>
  details(id, "overview", {
    act: async (visitor) => {
      await visitor.click("button", "servers:menu.more");
      await visitor.click("menuitem", "servers:menu.check");
      await visitor.find("button", visitor.t("doctor:save"));
      await visitor.rest();
    },
  });

/** Approves the installation of a missing program, and waits for the button of that state. */
const install = (scene, button) =>
  details(8, "overview", {
    scene,
    act: async (visitor) => {
      await visitor.css("aside button[data-armed=true]");
      await visitor.clickCss("aside button[data-armed=true]");
      await visitor.find("button", visitor.t(button));
      await visitor.rest();
    },
  });

export const scenes = {
  "servers-downloading": { scene: "servers_downloading", at: "/servers?id=8", list: true },
  "servers-none": { scene: "empty", at: "/servers" },
  "servers-no-demo-yet": {
    scene: "empty",
    at: "/servers",
    act: async (visitor) => {
      await visitor.clickNamed("button", startsWith(visitor.t("servers:welcome.demo.title")));
      await visitor.find("row", /demo/);
    },
  },
  servers: { at: "/servers", list: true },
  bundle: { scene: "bundle", at: "/servers", act: reviewed },
  "bundle-end": { scene: "bundle", at: "/servers", act: reviewedToTheEnd },
  "bundle-update": { scene: "bundle_update", at: "/servers", act: reviewed },
  "bundle-update-end": { scene: "bundle_update", at: "/servers", act: reviewedToTheEnd },
  "bundle-unpacking": {
    scene: "bundle_slow",
    at: "/servers",
    act: async (visitor) => {
      await reviewed(visitor);
      await visitor.fillCss("[role=dialog] form input[type=password]", "t-4711");
      await visitor.clickCss("[role=dialog] footer button:nth-of-type(2):not(:disabled)");
      await visitor.css("[role=dialog] [role=progressbar]");
    },
  },
  "bundle-damaged": { scene: "bundle_damaged", at: "/servers", act: opened },
  "bundle-elsewhere": { scene: "bundle_elsewhere", at: "/servers", act: opened },
  "server-uses": details(1, "overview", { act: (visitor) => visitor.bring("aside dl svg") }),
  "server-from-bundle": details(1, "overview", {
    scene: "bundle_update",
    act: async (visitor) => {
      await opened(visitor);
      await visitor.click("button", "common:cancel");
      await visitor.find("button", visitor.t("bundles:server.update"));
      await visitor.bring("aside section[data-bundle] button", 1);
    },
  }),
  "bundle-back": details(1, "overview", {
    scene: "bundle_update",
    act: async (visitor) => {
      await opened(visitor);
      await visitor.click("button", "common:cancel");
      await visitor.clickCss("aside section[data-bundle] button", 1);
      await visitor.css("[role=dialog] pre, [role=dialog] figure");
    },
  }),
  "servers-selected": {
    at: "/servers?id=1",
    list: true,
    act: async (visitor) => {
      await visitor.session.execute(
        "for (const row of [...document.querySelectorAll('[data-server-rows] tr:not([data-heading])')].slice(1, 6)) row.dispatchEvent(new MouseEvent('click', { bubbles: true, ctrlKey: true }))",
      );
      await visitor.css("[data-several]");
    },
  },
  "servers-approve-selected": {
    scene: "trust_new",
    at: "/servers?id=1",
    act: async (visitor) => {
      await visitor.session.execute(
        "for (const row of document.querySelectorAll('[data-server-rows] tr:not([data-heading])')) row.dispatchEvent(new MouseEvent('click', { bubbles: true, ctrlKey: true }))",
      );
      await visitor.css("[data-several]");
      await visitor.click("button", "servers:several.approve");
      await visitor.css("[role=dialog] button[data-armed=true]");
    },
  },
  "servers-many": { scene: "many", at: "/servers", list: true },
  "servers-long-names": { scene: "long", at: "/servers", list: true },
  "servers-added-elsewhere": {
    scene: "added_elsewhere",
    at: "/servers",
    act: (visitor) => visitor.find("button", visitor.t("servers:addedElsewhere.stop")),
  },
  "server-value-missing": details(3, "overview", { scene: "servers_value_missing" }),
  "server-asleep": details(1, "overview", { scene: "servers_asleep" }),
  "servers-asleep": { scene: "servers_asleep", at: "/servers", list: true },
  "servers-locked": { scene: "servers_locked", at: "/servers?id=3" },
  "servers-loading": { scene: "slow", at: "/servers", loading: true },
  "servers-unread": { scene: "broken", at: "/servers" },
  "servers-sorted": { at: "/servers", act: (visitor) => visitor.clickCss("th button", 1) },
  "servers-filtered": { at: "/servers", act: filter("git") },
  "servers-filtered-to-nothing": { at: "/servers", act: filter("zeppelin") },
  "server-menu-open": { at: "/servers?id=1&tab=overview", act: (visitor) => visitor.click("button", "servers:menu.more") },
  "servers-removed": {
    at: "/servers?id=6",
    act: async (visitor) => {
      await visitor.focus("main tr[aria-selected=true]");
      await visitor.press("Backspace");
      await visitor.css("main tbody tr");
    },
  },
  "servers-not-removed": {
    scene: "failed_remove_server",
    at: "/servers?id=6",
    act: async (visitor) => {
      await visitor.focus("main tr[aria-selected=true]");
      await visitor.press("Backspace");
    },
  },

  "server-ready": details(1, "overview", { list: true }),
  "server-ready-end": details(1, "overview", { act: end }),
  "server-waits-for-you": details(2, "overview", { scene: "inbox" }),
  "server-diagnostics": details(2, "overview", { act: end }),
  "server-sign-in-needed": details(4),
  "server-degraded": details(5),
  "server-icons-loaded": details(5, "overview", {
    act: async (visitor) => {
      await visitor.bring("aside [role=switch]", 2);
      await visitor.clickCss("aside [role=switch]", 2);
      await end(visitor);
    },
  }),
  "server-degraded-end": details(5, "overview", { act: end }),
  "server-changed": details(6),
  "server-failed": details(7),
  "server-starting": details(8),
  "server-reconnecting": details(9),
  "server-stopped": details(10),
  "server-long-names": details(1, "overview", { scene: "long" }),
  "server-long-address": details(2, "overview", { scene: "long" }),
  "server-of-every-kind": details(10, "overview", { scene: "offers" }),
  "server-of-every-kind-middle": details(10, "overview", { scene: "offers", act: (visitor) => visitor.scrollPane(500) }),
  "server-of-every-kind-end": details(10, "overview", { scene: "offers", act: end }),
  "server-stateless": details(2, "overview", { scene: "offers", act: end }),
  "server-of-old": details(5, "overview", { scene: "offers", act: end }),

  "server-connection": details(1, "overview", {
    act: async (visitor) => {
      await visitor.session.execute("for (const fold of document.querySelectorAll('aside details')) fold.open = true");
      await visitor.scrollPane();
    },
  }),
  "server-instances": details(1, "overview", { act: (visitor) => visitor.bring(INSTANCE) }),
  "server-instance-ending": details(1, "overview", {
    act: async (visitor) => {
      await visitor.bring(INSTANCE);
      await visitor.clickCss(`${INSTANCE} button`);
      await visitor.css("[role=dialog]");
    },
  }),
  "server-instances-proposed": details(9, "overview", { act: (visitor) => visitor.bring("aside [role=combobox]") }),
  "server-instance-failed": details(3, "overview", { act: (visitor) => visitor.bring(INSTANCE) }),
  "server-page": { scene: "inbox", at: "/servers?id=2&tab=overview&page=true" },
  "server-page-tools": { at: "/servers?id=2&tab=tools&page=true" },
  "server-checks": checks(1),
  "server-checks-failed": checks(7),
  "server-install": details(8, "overview", { scene: "install", act: (visitor) => visitor.css("aside button[data-armed=true]") }),
  "server-install-running": install("install_slow", "common:cancel"),
  "server-installed": install("install", "common:dismiss"),
  "server-install-failed": install("install_failed", "servers:install.copyOutput"),
  "server-installed-off-path": install("install_off_path", "servers:install.again"),
  "server-install-none": details(8, "overview", { scene: "install_none" }),
  "server-tested": details(7, "overview", {
    act: async (visitor) => {
      await visitor.click("button", "servers:moreWays");
      await visitor.click("menuitem", "servers:try.begin");
      await visitor.css("aside [role=status].bg-ok-soft");
    },
  }),
  "server-tool-off": details(1, "tools", {
    act: async (visitor) => {
      await visitor.session.execute("document.querySelectorAll('[role=grid] [role=radio]')[2].click()");
      await visitor.css("[data-toasts]");
    },
  }),
  "server-tools": details(1, "tools"),
  "server-tools-many": details(2, "tools"),
  "server-tools-unconnected": details(7, "tools"),
  "server-tools-unread": details(1, "tools", { scene: "failed_list_tools" }),
  "server-resources": details(10, "resources", { scene: "offers" }),
  "server-resources-many": details(1, "resources"),
  "server-resources-none": details(2, "resources"),
  "server-resources-unread": details(10, "resources", { scene: "unread" }),
  "server-prompts": details(10, "prompts", { scene: "offers" }),
  "server-prompts-none": details(2, "prompts"),
  "server-prompts-unread": details(10, "prompts", { scene: "failed_list_prompts" }),

  "server-settings-local": details(1, "settings"),
  "server-settings-local-end": details(1, "settings", { act: end }),
  "server-settings-on-use": details(1, "settings", { scene: "servers_asleep", act: end }),
  "server-settings-remote": details(2, "settings"),
  "server-settings-secrets": details(3, "settings", { act: end }),
  "server-settings-secret-missing": details(6, "settings", { act: end }),
  "server-settings-changed": details(1, "settings", { act: changed() }),
  "server-settings-not-saved": details(1, "settings", {
    scene: "failed_update_server",
    act: changed((visitor) => visitor.clickBeginning("button", "servers:edit.save")),
  }),
};

export const inWindow = {
  servers: async ({ session }) => {
    await address(session, "/servers");
    await session.byRole("row", /^demo/i);
  },
  "server-details": shows("/servers?id=DEMO", "servers:instructions.text"),
  "server-failed": async ({ session, failed }) => {
    await address(session, `/servers?id=${failed}`);
    await session.shows("no-such-program-anywhere");
  },
  "server-settings": shows("/servers?id=DEMO&tab=settings", "servers:form.command.label"),
  "server-resources": async ({ session, demo }) => {
    await address(session, `/servers?id=${demo}&tab=resources`);
    await session.shows("harbour://berths/{city}");
  },
  "server-prompts": async ({ session, demo }) => {
    await address(session, `/servers?id=${demo}&tab=prompts`);
    await session.shows("from to [tone]");
  },
};
