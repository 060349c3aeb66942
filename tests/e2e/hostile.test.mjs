// Three hundred attempts to run something in the window, in every text that a server can send: none of them does.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { pictures } from "./desktop.mjs";
import { PAYLOADS, payload } from "./hostile.mjs";
import { address, ends, goTo, mooringOk, openTab, startsWith, withWindow, words } from "./person.mjs";

const t = words("en");
const SERVER = fileURLToPath(new URL("hostile.mjs", import.meta.url));

/** Counts what is refused by the page's policy, from before anything of the server is shown. */
const WATCH = `
  window.refused = [];
  addEventListener("securitypolicyviolation", (event) => window.refused.push(event.violatedDirective + " " + event.blockedURI));
  for (const name of ["alert", "confirm", "prompt", "open"]) window[name] = () => { window.fired = (window.fired || 0) + 1; };
`;

/** What must not be in the page, wherever it is. */
const FOUND = `
  const own = new Set(arguments[0]);
  const active = [...document.querySelectorAll("script, iframe, object, embed, base, meta[http-equiv], template, link, style, form[action], a[href]")]
    .filter((element) => !own.has(element.outerHTML.slice(0, 200)) && !element.matches("link[rel=modulepreload][href^='tauri://localhost/assets/']") && !(element.matches("a[href]") && element.getAttribute("href").match(/^[/]?#[/]/)))
    .map((element) => element.outerHTML.slice(0, 200));
  const handlers = [...document.querySelectorAll("*")].filter((element) => [...element.attributes].some(({ name }) => name.startsWith("on"))).length;
  const remote = [...document.querySelectorAll("[src], [srcset], [poster]")].map((element) => element.getAttribute("src") ?? "").filter((src) => src !== "" && !/^(?:data:image[/](?:png|jpeg|gif|webp)|blob:|[/]|tauri:)/.test(src));
  return { fired: window.fired ?? 0, refused: window.refused, active, handlers, remote };
`;
const OWN = `return [...document.querySelectorAll("script, style, link, meta[http-equiv], base")].map((element) => element.outerHTML.slice(0, 200))`;

test("three hundred scripts in every text of a server run nowhere", async () => {
  const hits = [];
  const canary = createServer((request, response) => {
    hits.push(request.url);
    response.writeHead(200, { "access-control-allow-origin": "*" }).end();
  });
  await once(canary.listen(0, "127.0.0.1"), "listening");
  const origin = `http://127.0.0.1:${canary.address().port}`;
  assert.equal(new Set(Array.from({ length: PAYLOADS }, (_, number) => payload(number, origin))).size, PAYLOADS);
  try {
    await withWindow("hostile", async (desktop) => {
      const { session } = desktop;
      await session.execute(WATCH);
      const own = await session.execute(OWN);
      let looks = 0;
      const nothingRan = async (where) => {
        await session.settled();
        const { fired, refused, active, handlers, remote } = await session.execute(FOUND, own);
        assert.deepEqual({ fired, refused, handlers, remote, active }, { fired: 0, refused: [], handlers: 0, remote: [], active: [] }, where);
        looks += 1;
      };
      mooringOk(desktop, "add", "hostile", "--era", "session", "--json", "--", process.execPath, SERVER, origin);
      await session.byRole("row", /^hostile.*Ready/i, { timeout: 30_000 });
      const { id } = JSON.parse(mooringOk(desktop, "list", "--json")).result[0];
      await address(session, `/servers?id=${id}`);
      await session.shows(t("servers:instructions.title"));
      await nothingRan("overview");
      for (const tab of ["tools", "resources", "prompts", "trust"]) {
        await openTab(session, t(`servers:inspector.${tab}`)).catch((error) => assert.fail(`${tab}: ${error.message}`));
        await nothingRan(tab);
      }
      await session.screenshot(join(pictures(), "hostile-trust.png"));
      for (let number = 1; number < PAYLOADS; number += 23) {
        const name = `t${number} ${payload(number, origin)}`.slice(0, 120);
        await address(session, `/workbench?server=${id}&tool=${encodeURIComponent(name)}`);
        await nothingRan(`tool ${number}`);
        await address(session, `/workbench?server=${id}&prompt=p${number}`);
        await nothingRan(`prompt ${number}`);
        await address(session, `/workbench?server=${id}&resource=${encodeURIComponent(`x:${number}`)}`);
        await nothingRan(`resource ${number}`);
      }
      await address(session, `/workbench?server=${id}&tool=ask`);
      await (await session.byRole("button", startsWith(t("workbench:run.do.tool")))).click();
      await goTo(session, "inbox");
      await session.shows(t("inbox:kicker.form"));
      await nothingRan("form");
      await session.screenshot(join(pictures(), "hostile-form.png"));
      await (await session.byRole("button", startsWith(t("inbox:answer.decline")))).click();
      await session.shows(t("inbox:empty.title"));
      await address(session, `/workbench?server=${id}&tool=ask`);
      await ends(session, "ok");
      await nothingRan("result");
      await goTo(session, "activity");
      await nothingRan("activity");
      assert.ok(looks > 40, `${looks} looks`);
      assert.deepEqual(hits, []);
    });
  } finally {
    canary.closeAllConnections();
    canary.close();
  }
});
