// Signing in to a server: step by step, and every outcome.

import { startsWith } from "../../person.mjs";

export const screen = "Servers: sign-in";

const at = "/servers?id=4&tab=sign_in";
const fast = "&pace=15";

/** Within the tab, because some languages have another button with this name in the details. */
const begin = async (visitor) => {
  const within = await visitor.css("[role=tabpanel][data-state=active]");
  const names = new RegExp(`^(${visitor.t("sign-in:begin")}|${visitor.t("sign-in:beginAgain")})$`);
  await (await visitor.session.byRole("button", names, { within })).click();
  await visitor.rest();
};

/** Signs in and waits for this text. */
const until = (key) => async (visitor) => {
  await begin(visitor);
  const [words] = visitor.t(key).split("{{");
  await visitor.session.shows(words, { timeout: 8_000 });
};

/** The browser only responds after a long time. */
const waiting = "&pace=400";

export const scenes = {
  "sign-in-needed": { at },
  "sign-in-other-ways": {
    at,
    act: async (visitor) => {
      await visitor.clickNamed("button", startsWith(visitor.t("sign-in:other.title")));
      await visitor.scrollPane();
    },
  },
  "sign-in-without-a-person": {
    at,
    act: async (visitor) => {
      await visitor.clickNamed("button", startsWith(visitor.t("sign-in:other.title")));
      await visitor.click("radio", "sign-in:other.client");
      await visitor.click("radio", "sign-in:other.key");
      await visitor.scrollPane();
    },
  },
  "sign-in-under-way": { at, query: "&pace=60000", act: begin },
  "sign-in-in-browser": { at, query: waiting, act: until("sign-in:progress.browser") },
  "sign-in-given-up": {
    at,
    query: waiting,
    act: async (visitor) => {
      await until("sign-in:progress.browser")(visitor);
      await visitor.clickBeginning("button", "common:cancel");
      await visitor.shows("sign-in:progress.cancelled");
    },
  },
  "sign-in-done": { at, query: fast, act: until("sign-in:progress.done") },
  "sign-in-client-needed": { scene: "sign_in_client_needed", at, query: fast, act: until("sign-in:problem.client_needed.title") },
  "sign-in-client-needed-end": {
    scene: "sign_in_client_needed",
    at,
    query: fast,
    act: async (visitor) => {
      await until("sign-in:problem.client_needed.title")(visitor);
      await visitor.clickBeginning("button", "sign-in:client.submit");
      await visitor.scrollPane();
    },
  },
  "sign-in-resource-refused": { scene: "sign_in_resource", at, query: fast, act: until("sign-in:problem.resource_refused.title") },
  "sign-in-pkce-unannounced": { scene: "sign_in_pkce", at, query: fast, act: until("sign-in:problem.pkce_unannounced.title") },
  "sign-in-denied": { scene: "sign_in_denied", at, query: fast, act: until("sign-in:problem.answered.title") },
  "sign-in-unreachable": { scene: "sign_in_unreachable", at, query: fast, act: until("sign-in:problem.unreachable.title") },
  "sign-in-vault-locked": { scene: "sign_in_vault", at, query: fast, act: until("sign-in:problem.vault.title") },
  "sign-in-not-begun": { scene: "failed_begin_sign_in", at, act: begin },
  "sign-in-several-accounts": { at: "/servers?id=2&tab=sign_in" },
};
