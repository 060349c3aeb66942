// Profiles: the switch in the status bar, and the dialog with the list, the forms and no profile.

import { readFileSync } from "node:fs";
import { startsWith } from "../../person.mjs";

export const screen = "Profiles";

const work = { scene: "profiles", at: "/servers" };

/** Opens the switch in the status bar. */
const openSwitch = (visitor) => visitor.clickNamed("button", startsWith(visitor.t("profiles:inUse").replace("{{name}}", "Work")));

const openList = async (visitor) => {
  await openSwitch(visitor);
  await visitor.click("menuitem", "profiles:manage");
  await visitor.find("dialog");
  await visitor.rest();
};

/** Opens a profile's menu, and chooses this key's item. */
const choose = (item) => async (visitor) => {
  await openList(visitor);
  await visitor.clickNamed("button", startsWith(visitor.t("profiles:more").replace("{{name}}", "Work")));
  await visitor.click("menuitem", item);
  await visitor.rest();
};

const review = (text) => async (visitor) => {
  await openList(visitor);
  await visitor.click("button", "profiles:action.import");
  await visitor.fillCss("textarea", text);
  await visitor.click("button", "profiles:import.review");
  await visitor.rest();
};

const strangers = JSON.parse(readFileSync(new URL("../../../../ui/dev/mock/profile-file.json", import.meta.url), "utf8"));

export const scenes = {
  "profiles-switch": { ...work, act: openSwitch },
  profiles: { ...work, act: openList },
  "profiles-none": {
    at: "/apps",
    act: async (visitor) => {
      await visitor.click("button", "apps:menu.more");
      await visitor.click("menuitem", "profiles:manage");
    },
  },
  "profiles-removed": { ...work, act: choose("profiles:action.remove") },
  "profiles-edit": { ...work, act: choose("profiles:action.edit") },
  "profiles-edit-end": {
    ...work,
    act: async (visitor) => {
      await choose("profiles:action.edit")(visitor);
      await visitor.scrollDialog();
    },
  },
  "profiles-export": { ...work, act: choose("profiles:action.export") },
  "profiles-import": { ...work, act: review(JSON.stringify(strangers)) },
  "profiles-import-refused": { ...work, act: review(JSON.stringify({ ...strangers, mooring_profile: 2 })) },
};
