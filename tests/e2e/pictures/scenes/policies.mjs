// Policies: the list, the templates, and the dialog with the simulation of a rule.

import { address, startsWith } from "../../person.mjs";
import { shows } from "../demo.mjs";

export const screen = "Policies";

const at = "/policies";

/** Starts a new rule, and waits for its simulation. */
const begin = async (visitor) => {
  await visitor.click("button", "policies:add");
  await visitor.find("dialog");
  await visitor.rest(400);
};

/** Starts a new rule, runs these steps, and scrolls to the end of the dialog after the simulation. */
const make =
  (...steps) =>
  async (visitor) => {
    await begin(visitor);
    for (const step of steps) await step(visitor);
    await visitor.rest(400);
    await visitor.scrollDialog();
  };

/** Opens a rule with button number `index` of the list. */
const open = (index) => async (visitor) => {
  await visitor.clickCss("main li button", index);
  await visitor.rest(400);
};

const effect = (name) => (visitor) => visitor.click("radio", `policies:effect.${name}`);
/** Applies the rule to one tool, or to those that match a pattern. */
const applyTo = (which) => async (visitor) => {
  await visitor.click("combobox", "policies:form.which");
  await visitor.click("option", `policies:which.${which}`);
};
const tool = (pattern) => async (visitor) => {
  await applyTo("pattern")(visitor);
  await visitor.fillCss("[role=dialog] input", pattern);
};
const conditions = "[role=dialog] [role=group] input";

export const scenes = {
  policies: { at, list: true },
  "policies-none": { scene: "no_rules", at },
  "policies-odd": { scene: "odd_rules", at },
  "policies-unread": { scene: "failed_list_rules", at },
  "policies-removed": { at, act: (visitor) => visitor.clickCss("main li button", 5) },
  "policies-new": { at, act: begin },
  "policies-new-allow": { at, act: make(effect("allow")) },
  "policies-new-deny": { at, act: make(effect("deny")) },
  "policies-new-fits-nothing": { at, act: make(tool("nothing_*")) },
  "policies-new-changes-nothing": { at, act: make(effect("allow"), tool("read_file")) },
  "policies-new-no-calls-yet": { scene: "no_calls", at, act: make() },
  "policies-new-not-simulated": { scene: "failed_simulate_rule", at, act: make() },
  "policies-new-not-saved": { scene: "failed_save_rule", at, act: make((visitor) => visitor.click("button", "policies:form.save")) },
  "policies-new-conditions": {
    at,
    act: async (visitor) => {
      await begin(visitor);
      for (let count = 0; count < 2; count += 1) await visitor.click("button", "policies:form.addCondition");
      await visitor.fillCss(conditions, "path", 0);
      await visitor.fillCss(conditions, "/n", 2);
      await visitor.fillCss(conditions, "text", 3);
    },
  },
  "policies-new-picked": {
    at,
    act: async (visitor) => {
      await begin(visitor);
      await applyTo("one")(visitor);
      await visitor.clickCss("[role=dialog] button[aria-haspopup=dialog]");
    },
  },
  "policies-template-destructive": { at, act: (visitor) => visitor.clickBeginning("button", "policies:template.destructive") },
  "policies-template-never": { at, act: (visitor) => visitor.clickBeginning("button", "policies:template.never") },
  "policies-template-read-only": { at, act: (visitor) => visitor.clickBeginning("button", "policies:template.readOnly") },
  "policies-template-read-only-none": {
    scene: "empty",
    at,
    act: (visitor) => visitor.clickBeginning("button", "policies:template.readOnly"),
  },
  "policies-edit": { at, act: open(2) },
  "policies-edit-pinned": {
    at,
    act: async (visitor) => {
      await open(4)(visitor);
      await visitor.scrollDialog();
    },
  },
  "policies-edit-odd": { scene: "odd_rules", at, act: open(4) },
};

export const inWindow = {
  policies: shows("/policies", "policies:add"),
  "policy-editor": async ({ session, t }) => {
    await address(session, "/policies");
    await (await session.byRole("button", t("policies:add"))).click();
    await session.byRole("dialog", t("policies:form.new"));
    await session.shows(t("policies:sim.title"));
  },
  "policy-read-only": async ({ session, t }) => {
    await address(session, "/policies");
    await (await session.byRole("button", startsWith(t("policies:template.readOnly")))).click();
    await session.byRole("dialog", t("policies:readOnly.title"));
    await session.byRole("combobox", t("policies:form.server"));
  },
};
