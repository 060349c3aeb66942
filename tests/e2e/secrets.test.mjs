// Secrets in the real window: an answer in a secret-looking field, and a provider's key.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { callAndLook, isEmpty, press, pressArmed, serverId, told, typeOver } from "./asking.mjs";
import { Canaries } from "./canaries.mjs";
import { pictures } from "./desktop.mjs";
import { goTo, mooringOk, startsWith, withWindow, words } from "./person.mjs";
import { Keyring } from "./protected.mjs";
import { until } from "./webdriver.mjs";

const t = words("en");
const SERVER = fileURLToPath(new URL("asking-server.mjs", import.meta.url));

// Requirements: ELIC-20.
test("neither a secret answer nor a provider's key is anywhere afterwards", async () => {
  const seen = [];
  const provider = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(200, { "content-type": "application/json" }).end('{"object":"list","data":[{"id":"harbour-1","object":"model"}]}');
  });
  await once(provider.listen(0, "127.0.0.1"), "listening");
  try {
    await withWindow(
      "secrets",
      async (desktop) => {
        const { session } = desktop;
        const canaries = new Canaries(desktop);
        const [answer, key, plain] = [1, 2, 3].map(() => randomBytes(24).toString("base64url"));
        const keyring = await Keyring.start(desktop, "a password");
        try {
          mooringOk(desktop, "add", "asking", "--era", "session", "--json", "--", process.execPath, SERVER);
          await session.byRole("row", /^asking.*Ready/, { timeout: 30_000 });
          const scene = { session, server: serverId(desktop) };
          await callAndLook(scene, "ask");
          await session.shows(t("inbox:form.secretTitle"));
          const typeInto = async (css, text) => {
            const field = await session.byCss(css);
            await typeOver(session, field, text);
          };
          await typeInto("[data-field] input[type=password]", answer);
          await typeOver(session, await session.byRole("textbox", "Harbour"), plain);
          await session.screenshot(join(pictures(), "secrets-form.png"));
          // It is in the field where it was typed, and nowhere else.
          assert.deepEqual(await canaries.found([answer]), ["page"]);
          await press(session, "inbox:answer.review");
          await session.shows(t("inbox:review.exact"));
          await session.screenshot(join(pictures(), "secrets-review.png"));
          await pressArmed(session, "inbox:answer.send");
          await isEmpty(session);
          await told(scene, "ask", `It has ${answer.length} characters.`);
          // Text that isn't secret is in the log, so the search works.
          await until(
            async () => (await canaries.found([plain])).some((place) => place.startsWith("/mooring/")),
            "the log to have the rest",
            20_000,
          );

          await goTo(session, "models");
          await press(session, "models:providers.add");
          const within = { within: await session.byRole("dialog", t("models:form.new")) };
          await (await session.byRole("combobox", startsWith(t("models:form.preset")), within)).click();
          await (await session.byRole("option", t("models:form.other"))).click();
          await typeOver(
            session,
            await session.byRole("textbox", startsWith(t("models:form.baseUrl")), within),
            `http://127.0.0.1:${provider.address().port}/v1`,
          );
          await (await session.byRole("combobox", startsWith(t("models:form.kind")), within)).click();
          await (await session.byRole("option", t("models:kind.openai"))).click();
          await typeOver(session, await session.byRole("textbox", startsWith(t("models:form.name")), within), "Pilot");
          await typeInto("[role=dialog] input[type=password]", key);
          await (await session.byRole("button", startsWith(t("models:form.check")), within)).click();
          await session.shows("harbour-1", { timeout: 30_000 });
          await (await session.byRole("button", startsWith(t("models:form.save")), within)).click();
          await until(async () => (await session.allByRole("dialog")).length === 0, "the dialog to close", 30_000);
          await session.shows(t("models:providers.key"));
          await session.screenshot(join(pictures(), "secrets-provider.png"));
          // It was only sent to its destination.
          assert.deepEqual([...new Set(seen)], [`Bearer ${key}`]);
          assert.deepEqual(await canaries.found([answer, key]), []);
          await desktop.restart();
          await desktop.session.byCss("main[aria-label]");
          assert.deepEqual(await canaries.found([answer, key]), []);
          await canaries.control();
        } finally {
          await keyring.stop();
        }
      },
      { env: { RUST_LOG: "trace" } },
    );
  } finally {
    provider.closeAllConnections();
    provider.close();
  }
});
