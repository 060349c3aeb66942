// Models: providers, routes, and which servers may use them.

import { shows } from "../demo.mjs";

export const screen = "Models";

const add = (visitor) => visitor.click("button", "models:providers.add");

/** Starts to add a provider of this kind. */
const addOf = (preset) => async (visitor) => {
  await add(visitor);
  await visitor.choose("models:form.preset", preset);
};

/** Opens provider number `at` of the list. */
const edit = (at) => (visitor) => visitor.clickCss("main li button", at);

/** Tests the open provider, and shows the result. */
const check = async (visitor) => {
  await visitor.click("button", "models:form.check");
  await visitor.until(
    () => visitor.session.execute("return document.querySelector('[role=dialog] button[aria-busy=true]') === null"),
    "the provider's answer",
  );
  await visitor.scrollDialog();
};

const save = (visitor) => visitor.click("button", "models:form.save");

/** Opens the first provider and runs these steps. */
const inFirst =
  (...steps) =>
  async (visitor) => {
    await edit(0)(visitor);
    for (const step of steps) await step(visitor);
  };

const textFields = "[role=dialog] input:not([type=password]):not([type=checkbox])";

export const scenes = {
  "models-empty": { scene: "empty", at: "/models" },
  models: { at: "/models", list: true },
  "models-end": { at: "/models", act: (visitor) => visitor.scroll() },
  "models-of-every-kind": { scene: "models_every", at: "/models" },
  "models-of-every-kind-middle": { scene: "models_every", at: "/models", act: (visitor) => visitor.scroll(700) },
  "models-of-every-kind-end": { scene: "models_every", at: "/models", act: (visitor) => visitor.scroll() },
  "models-practice-only": {
    scene: "no_models",
    at: "/models",
    act: async (visitor) => {
      await visitor.scroll();
      await visitor.clickCss("[role=switch]");
      await visitor.scroll(300);
    },
  },
  "models-unread": { scene: "failed_list_models", at: "/models" },
  "models-vault-locked": { scene: "vault_locked", at: "/models" },
  "models-add": { at: "/models", act: add },
  "models-add-kinds-open": {
    at: "/models",
    act: async (visitor) => {
      await add(visitor);
      await visitor.click("combobox", "models:form.preset");
    },
  },
  "models-add-openai": { at: "/models", act: addOf("OpenAI") },
  "models-add-azure": { at: "/models", act: addOf("Azure OpenAI") },
  "models-add-azure-not-filled-in": {
    at: "/models",
    act: async (visitor) => {
      await addOf("Azure OpenAI")(visitor);
      await save(visitor);
    },
  },
  "models-add-openrouter": { at: "/models", act: addOf("OpenRouter") },
  "models-add-gemini": { at: "/models", act: addOf("Gemini") },
  "models-add-ollama": { at: "/models", act: addOf("Ollama") },
  "models-add-lmstudio": { at: "/models", act: addOf("LM Studio") },
  "models-add-llamacpp": { at: "/models", act: addOf("llama.cpp") },
  "models-add-vllm": { at: "/models", act: addOf("vLLM") },
  "models-add-wrong-key": {
    scene: "no_models",
    at: "/models",
    act: async (visitor) => {
      await add(visitor);
      await visitor.fillCss("[role=dialog] input[type=password]", "sk-wrong");
      await check(visitor);
    },
  },
  "models-add-mistakes": {
    at: "/models",
    act: async (visitor) => {
      await addOf("Azure OpenAI")(visitor);
      await visitor.fillCss(textFields, "ftp://x", 0);
      await visitor.fillCss(textFields, " ", 1);
      await save(visitor);
    },
  },
  "models-add-name-taken": {
    at: "/models",
    act: async (visitor) => {
      await addOf("Ollama")(visitor);
      await visitor.fillCss(textFields, "Anthropic", 1);
      await save(visitor);
    },
  },
  "models-add-not-saved": {
    scene: "failed_save_provider",
    at: "/models",
    act: async (visitor) => {
      await add(visitor);
      await save(visitor);
      await visitor.scrollDialog();
    },
  },
  "models-edit": { at: "/models", act: inFirst() },
  "models-edit-moved": { at: "/models", act: inFirst((visitor) => visitor.fillCss("[role=dialog] input", "https://api.evil.test")) },
  "models-edit-key-forgotten": { at: "/models", act: inFirst((visitor) => visitor.click("button", "models:form.keyForget")) },
  "models-edit-key-replaced": { at: "/models", act: inFirst((visitor) => visitor.click("button", "models:form.keyReplace")) },
  "models-edit-asking": { at: "/models", query: "&pace=30000", act: inFirst((visitor) => visitor.click("button", "models:form.check")) },
  "models-edit-not-reached": {
    at: "/models",
    act: async (visitor) => {
      await edit(2)(visitor);
      await check(visitor);
    },
  },
  "models-edit-answered": { at: "/models", act: inFirst(check) },
  "models-edit-answered-many": { scene: "models_crowded", at: "/models", act: inFirst(check) },
  "models-edit-model-open": {
    at: "/models",
    act: inFirst(
      (visitor) => visitor.clickCss("[role=dialog] li button"),
      (visitor) => visitor.scrollDialog(),
    ),
  },
  "models-edit-price-wrong": {
    at: "/models",
    act: inFirst(
      (visitor) => visitor.clickCss("[role=dialog] li button"),
      (visitor) => visitor.fillCss("[role=dialog] li input", "three"),
      save,
      (visitor) => visitor.scrollDialog(),
    ),
  },
  "models-remove": { at: "/models", act: edit(1) },
  "models-remove-plain": { at: "/models", act: edit(3) },
  "models-route-removed": { at: "/models", act: (visitor) => visitor.clickCss("main ol li:first-child button", 4) },
  "models-budget-wrong": {
    at: "/models",
    act: async (visitor) => {
      await visitor.scroll();
      await visitor.fillCss("main section:nth-of-type(3) input", "lots", 1);
    },
  },
};

export const inWindow = { models: shows("/models", "models:providers.title") };
