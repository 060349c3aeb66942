// Servers' sampling requests, and models' answers, in the Inbox.

import { address } from "../../person.mjs";
import { asksBack } from "../demo.mjs";

export const screen = "Inbox: models";

const toolList = (visitor) => `main ul[aria-label="${visitor.t("inbox:sampling.tools")}"]`;
const openTools = async (visitor) => {
  await visitor.clickCss("main summary", -1);
  await visitor.bring(toolList(visitor), -1);
};
const edit = (visitor) => visitor.click("button", "inbox:sampling.edit");
const end = (visitor) => visitor.scroll();

/** Adds text to a question, without finishing the edit. */
const editText = (key, words) => async (visitor) => {
  await edit(visitor);
  await (await visitor.find("textbox", visitor.t(key))).type(words);
  await visitor.click("button", "inbox:sampling.editDone");
};

export const scenes = {
  sampling: { scene: "inbox", at: "/inbox?id=13" },
  "sampling-end": { scene: "inbox_sampling", at: "/inbox?id=41", act: end },
  "sampling-editing": {
    scene: "inbox_sampling",
    at: "/inbox?id=41",
    act: async (visitor) => {
      await edit(visitor);
      await visitor.scroll(280);
    },
  },
  "sampling-edited": { scene: "inbox_sampling", at: "/inbox?id=41", act: editText("inbox:sampling.system", " Please.") },
  "sampling-edited-wrong": {
    scene: "inbox_sampling",
    at: "/inbox?id=41",
    act: async (visitor) => {
      await edit(visitor);
      await visitor.fill(visitor.t("inbox:fact.maxTokens"), "many");
      await visitor.scroll();
    },
  },
  "sampling-tools-open": { scene: "inbox_sampling", at: "/inbox?id=41", act: openTools },
  "sampling-tool-schema": {
    scene: "inbox_sampling",
    at: "/inbox?id=41",
    act: async (visitor) => {
      await openTools(visitor);
      await visitor.clickCss(`${toolList(visitor)} button[aria-expanded]`, -1);
      await visitor.bring(`${toolList(visitor)} pre`, -1);
    },
  },
  "sampling-models-open": { scene: "inbox_sampling", at: "/inbox?id=41", act: (visitor) => visitor.clickNamed("combobox", null) },
  "sampling-no-model": { scene: "inbox_sampling", at: "/inbox?id=42" },
  "sampling-budget-spent": { scene: "inbox_sampling", at: "/inbox?id=43", act: end },
  "sampling-stays-here": { scene: "inbox_edges", at: "/inbox?id=85" },
  "sampling-always": {
    scene: "inbox_edges",
    at: "/inbox?id=85",
    act: async (visitor) => {
      await visitor.click("radio", "inbox:remember.scope.always");
      await visitor.scroll();
    },
  },

  answer: { scene: "inbox_answer", at: "/inbox?id=51" },
  "answer-editing": { scene: "inbox_answer", at: "/inbox?id=51", act: edit },
  "answer-edited": { scene: "inbox_answer", at: "/inbox?id=51", act: editText("inbox:sampling.answer", " Mind the tide.") },
  "answer-always": { scene: "inbox_answer", at: "/inbox?id=51", act: (visitor) => visitor.click("radio", "inbox:remember.scope.always") },
  "answer-growing": { scene: "inbox_answer", at: "/inbox?id=52" },
  "answer-failed": { scene: "inbox_answer", at: "/inbox?id=53" },
  "answer-budget-spent": { scene: "inbox_answer", at: "/inbox?id=54" },
  "answer-refused": { scene: "inbox_answer", at: "/inbox?id=55" },
  "answer-silent": { scene: "inbox_edges", at: "/inbox?id=86" },
  "answer-wants-a-tool": { scene: "inbox_edges", at: "/inbox?id=87" },
  "answer-cut-short": { scene: "inbox_edges", at: "/inbox?id=88" },
};

export const inWindow = {
  "inbox-model": async (place) => {
    await address(place.session, "/models");
    await (await place.session.byRole("switch", /demo/i)).click();
    await place.session.byCss('[role="switch"][aria-checked="true"]');
    // The server restarts with its new permission.
    await address(place.session, "/servers");
    await place.session.byRole("row", new RegExp(`^demo.*${place.t("common:state.ready")}`, "i"), { timeout: 30_000 });
    return asksBack(place, "ask_model", "inbox:kicker.sampling", "inbox:fact.maxTokens");
  },
};
