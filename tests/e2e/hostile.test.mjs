// Three hundred attempts to run code in the window, in every text that a server can send. None succeeds.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { pictures } from "./desktop.mjs";
import { askAbout, isEmpty, letAskModels, press, pressArmed, typeOver } from "./asking.mjs";
import { ASKING, PAYLOADS, payload } from "./hostile.mjs";
import { address, ends, goTo, mooringOk, openTab, startsWith, withWindow, words } from "./person.mjs";
import { Key, until } from "./webdriver.mjs";

const t = words("en");
const SERVER = fileURLToPath(new URL("hostile.mjs", import.meta.url));

/** Counts violations of the page's policy, starting before any text of the server is shown. */
const WATCH = `
  window.refused = [];
  addEventListener("securitypolicyviolation", (event) => window.refused.push(event.violatedDirective + " " + event.blockedURI));
  for (const name of ["alert", "confirm", "prompt", "open"]) window[name] = () => { window.fired = (window.fired || 0) + 1; };
`;

/** Continuously records the numbers of the attempts on the screen. */
const NOTE = `
  window.seen = new Set();
  const note = () => {
    const logs = window.withoutLogs ? document.querySelector("#run-log")?.closest("section").textContent : "";
    const texts = [(document.querySelector("main")?.textContent ?? "").replace(logs, ""), ...[...document.querySelectorAll("main input, main textarea")].map(({ value }) => value)];
    for (const text of texts) for (const [, number] of text.matchAll(/#(\\d+)#/g)) window.seen.add(Number(number));
    setTimeout(note, 60);
  };
  note();
`;

/** Finds what must not be anywhere in the page. */
const FOUND = `
  const own = new Set(arguments[0]);
  const active = [...document.querySelectorAll("script, iframe, object, embed, base, meta[http-equiv], template, link, style, form[action], a[href]")]
    .filter((element) => !own.has(element.outerHTML.slice(0, 200)) && !element.matches("link[rel=modulepreload][href^='tauri://localhost/assets/']") && !(element.matches("a[href]") && element.getAttribute("href").match(/^[/]?#[/]/)))
    .map((element) => element.outerHTML.slice(0, 200));
  const handlers = [...document.querySelectorAll("*")].filter((element) => [...element.attributes].some(({ name }) => name.startsWith("on"))).length;
  const remote = [...document.querySelectorAll("[src], [srcset], [poster]")].map((element) => element.getAttribute("src") ?? "").filter((src) => src !== "" && !/^(?:data:image[/](?:png|jpeg|gif|webp)|blob:|[/]|tauri:)/.test(src));
  return { fired: window.fired ?? 0, refused: window.refused, active, handlers, remote };
`;

/** Visits each of `arguments[1]` from within the page, waits for its attempt, and checks the page each time. */
const TOUR = `
  const found = function () { ${FOUND} };
  const [own, stops] = arguments;
  const tour = window.tour = { wrong: [], looks: 0, done: false };
  const pause = (milliseconds) => new Promise((go) => setTimeout(go, milliseconds));
  const there = (number) => [...document.querySelectorAll("main header")].some(({ textContent }) => textContent.includes("#" + number + "#"));
  const go = async () => {
    for (const { where, to, number } of stops) {
      location.hash = to;
      for (let waited = 0; !there(number) && waited < 10_000; waited += 5) await pause(5);
      if (!there(number)) tour.wrong.push(where + " is not shown");
      await pause(0);
      const { fired, refused, active, handlers, remote } = found(own);
      tour.looks += 1;
      if (fired + refused.length + active.length + handlers + remote.length > 0) tour.wrong.push(where + ": " + JSON.stringify({ fired, refused, active, handlers, remote }));
    }
    tour.done = true;
  };
  go().catch((error) => { tour.wrong.push(String(error)); tour.done = true; });
`;
const OWN = `return [...document.querySelectorAll("script, style, link, meta[http-equiv], base")].map((element) => element.outerHTML.slice(0, 200))`;

/** Adds a model with this URL. */
async function addModel(session, url) {
  await goTo(session, "models");
  await press(session, "models:providers.add");
  const within = { within: await session.byRole("dialog", t("models:form.new")) };
  await (await session.byRole("combobox", startsWith(t("models:form.preset")), within)).click();
  await (await session.byRole("option", t("models:form.other"))).click();
  await typeOver(session, await session.byRole("textbox", startsWith(t("models:form.baseUrl")), within), url);
  await (await session.byRole("combobox", startsWith(t("models:form.kind")), within)).click();
  await (await session.byRole("option", t("models:kind.ollama"))).click();
  await typeOver(session, await session.byRole("textbox", startsWith(t("models:form.name")), within), "Pilot");
  await (await session.byRole("textbox", startsWith(t("models:form.modelName")), within)).type("harbour-1");
  await (await session.byRole("button", t("models:form.addModel"), within)).click();
  await (await session.byRole("button", startsWith(t("models:form.save")), within)).click();
  await until(async () => (await session.allByRole("dialog")).length === 0, "the dialog to close", 30_000);
}

test("three hundred scripts in every text of a server run nowhere", async () => {
  const hits = [];
  let origin;
  const canary = createServer((request, response) => {
    // The model also returns all of the texts.
    const content = Array.from({ length: PAYLOADS }, (_, number) => payload(number, origin)).join("\n");
    if (request.url === "/model/api/chat")
      return response
        .writeHead(200, { "content-type": "application/x-ndjson" })
        .end(`${JSON.stringify({ model: content.slice(0, 200), message: { role: "assistant", content }, done: true })}\n`);
    hits.push(request.url);
    response.writeHead(200, { "access-control-allow-origin": "*" }).end();
  });
  await once(canary.listen(0, "127.0.0.1"), "listening");
  origin = `http://127.0.0.1:${canary.address().port}`;
  assert.equal(new Set(Array.from({ length: PAYLOADS }, (_, number) => payload(number, origin))).size, PAYLOADS);
  try {
    await withWindow("hostile", async (desktop) => {
      const { session } = desktop;
      await session.execute(WATCH);
      await session.execute(NOTE);
      const own = await session.execute(OWN);
      let looks = 0;
      const nothingRan = async (where) => {
        await session.settled();
        const { fired, refused, active, handlers, remote } = await session.execute(FOUND, own);
        assert.deepEqual(
          { fired, refused, handlers, remote, active },
          { fired: 0, refused: [], handlers: 0, remote: [], active: [] },
          where,
        );
        looks += 1;
      };
      /** Checks that `work` shows every attempt in full, and that none runs. */
      const every = async (where, work, patience = 20_000) => {
        await session.execute("window.seen.clear()");
        await work();
        const missing = () =>
          session.execute(
            "return Array.from({ length: arguments[0] }, (_, number) => number).filter((number) => !window.seen.has(number))",
            PAYLOADS,
          );
        await until(async () => (await missing()).length === 0, `every attempt in ${where}`, patience).catch(async () =>
          assert.fail(`not in ${where}: ${await missing()}`),
        );
        await nothingRan(where);
      };
      mooringOk(desktop, "add", "hostile", "--era", "session", "--json", "--", process.execPath, SERVER, origin);
      await session.byRole("row", /^hostile.*Ready/i, { timeout: 30_000 });
      const { id } = JSON.parse(mooringOk(desktop, "list", "--json")).result[0];
      await address(session, `/servers?id=${id}`);
      await session.shows(t("servers:instructions.text"));
      await nothingRan("overview");
      for (const tab of ["tools", "resources", "prompts", "trust"]) {
        await openTab(session, t(`servers:inspector.${tab}`)).catch((error) => assert.fail(`${tab}: ${error.message}`));
        await nothingRan(tab);
      }
      await session.screenshot(join(pictures(), "hostile-trust.png"));
      const details = Array.from({ length: PAYLOADS }, (_, number) =>
        [
          ["tool", number in ASKING ? ASKING[number] : `t${number} ${payload(number, origin)}`.slice(0, 120)],
          ["prompt", `p${number}`],
          ["resource", `x:${number}`],
        ].map(([kind, name]) => ({
          where: `${kind} ${number}`,
          to: `/workbench?server=${id}&${kind}=${encodeURIComponent(name)}`,
          number,
        })),
      ).flat();
      assert.equal(details.length, 3 * PAYLOADS);
      await session.execute(TOUR, own, details);
      await until(() => session.execute("return window.tour.done"), "every tool, prompt and resource to be looked at", 240_000);
      assert.deepEqual(await session.execute("return window.tour.wrong"), []);
      looks += await session.execute("return window.tour.looks");
      await nothingRan("the last resource");
      await every("a resource", () => address(session, `/workbench?server=${id}&resource=x:0`));
      const run = async (tool, server = id) => {
        await address(session, `/workbench?server=${server}&tool=${encodeURIComponent(tool)}`);
        await (await session.byRole("button", startsWith(t("workbench:run.do.tool")))).click();
      };
      // With the keyboard, because two clicks within half a second count as one decision.
      const decline = async () => {
        await session.byRole("button", startsWith(t("inbox:answer.decline")));
        await session.press(Key.Control, Key.Backspace);
      };
      await askAbout(session, "consent-*");
      await every("tool consent", async () => {
        for (const part of [0, 1, 2]) {
          await run(`consent-${part}`);
          await goTo(session, "inbox");
          await session.shows(t("inbox:kicker.tool"));
          await session.shows(`#${part * 100 + 99}#`);
          await nothingRan(`tool consent ${part}`);
          await session.screenshot(join(pictures(), "hostile-consent.png"));
          await decline();
          await isEmpty(session);
        }
      });
      await run("ask");
      await every("forms", async () => {
        await goTo(session, "inbox");
        for (const part of [0, 1, 2]) {
          await session.shows(`#${part * 100 + 99}#`);
          await session.shows(t("inbox:kicker.form"));
          await nothingRan(`form ${part}`);
          await session.screenshot(join(pictures(), "hostile-form.png"));
          await decline();
        }
        await isEmpty(session);
      });
      await every("a result", async () => {
        await address(session, `/workbench?server=${id}&tool=ask`);
        await ends(session, "ok");
        // The first text is Markdown with every attempt in it.
        await until(() => session.execute("return document.querySelector('main figure [data-theirs] h2') !== null"), "rendered Markdown");
        await nothingRan("result");
      });
      await run("visit");
      await every("addresses", async () => {
        await goTo(session, "inbox");
        for (const part of [0, 1, 2]) {
          await session.shows(`#${part * 100 + 99}#`);
          await session.shows(t("inbox:kicker.url"));
          await nothingRan(`address ${part}`);
          await session.screenshot(join(pictures(), `hostile-url-${part}.png`));
          await decline();
        }
        await isEmpty(session);
      });
      // A server has a limit of questions per minute, so a second one asks the rest.
      mooringOk(desktop, "add", "second", "--era", "session", "--json", "--", process.execPath, SERVER, origin);
      const second = JSON.parse(mooringOk(desktop, "list", "--json")).result.find(({ name }) => name === "second").id;
      await address(session, "/servers");
      await session.byRole("row", /^second.*Ready/i, { timeout: 30_000 });
      mooringOk(desktop, "roots", "add", desktop.directory);
      for (const tool of ["share", ...[30, 61, 92].map((number) => `t${number} ${payload(number, origin)}`.slice(0, 120))]) {
        await run(tool, second);
        await goTo(session, "inbox");
        await session.shows(t("inbox:kicker.roots"));
        await nothingRan(`folders for ${tool}`);
        await decline();
        await isEmpty(session);
      }
      await every("logs", () => run("stream", second));
      await session.screenshot(join(pictures(), "hostile-log.png"));
      // It repeats every eleven seconds, so that a busy page shows everything in the end.
      await every("progress", () => session.execute("window.withoutLogs = true; window.seen.clear()"), 90_000);
      await session.execute("window.withoutLogs = false");
      await press(session, "common:cancel");
      await ends(session, "cancelled");

      await addModel(session, `${origin}/model`);
      // Wait for the restart. Otherwise the old connection would still be ready.
      const starts = () =>
        JSON.parse(mooringOk(desktop, "logs", "--json", "--method", "initialize", "--limit", "1000")).result.filter(
          ({ server, direction }) => server === "second" && direction === "out",
        ).length;
      const before = starts();
      await letAskModels(session, "second");
      await until(() => starts() > before, "the second server to start anew", 30_000);
      await session.byRole("row", /^second.*Ready/i, { timeout: 30_000 });
      await run("sample", second);
      await every("the first look at a model's words", async () => {
        await goTo(session, "inbox");
        await session.shows(t("inbox:kicker.sampling"));
      });
      await session.screenshot(join(pictures(), "hostile-sampling.png"));
      await every("the second look at a model's words", async () => {
        await pressArmed(session, "inbox:answer.sampling.once");
        await session.shows(t("inbox:kicker.sampling_answer"));
        await until(
          async () => !(await (await session.byRole("button", t("inbox:sampling.edit"))).property("disabled")),
          "the model to end",
        );
      });
      await session.screenshot(join(pictures(), "hostile-sampling-answer.png"));
      await decline();
      await isEmpty(session);
      await goTo(session, "activity");
      await nothingRan("activity");
      assert.equal(looks, 3 * PAYLOADS + 30);
      assert.deepEqual(hits, []);
    });
  } finally {
    canary.closeAllConnections();
    canary.close();
  }
});

test("rendered Markdown of a server fetches nothing and runs nothing", async () => {
  const hits = [];
  const canary = createServer((request, response) => {
    hits.push(request.url);
    response.writeHead(200, { "access-control-allow-origin": "*" }).end();
  });
  await once(canary.listen(0, "127.0.0.1"), "listening");
  try {
    await withWindow("hostile-markdown", async (desktop) => {
      const { session } = desktop;
      await session.execute(WATCH);
      await session.execute(NOTE);
      const own = await session.execute(OWN);
      const origin = `http://127.0.0.1:${canary.address().port}`;
      mooringOk(desktop, "add", "hostile", "--era", "session", "--json", "--", process.execPath, SERVER, origin);
      await session.byRole("row", /^hostile.*Ready/i, { timeout: 30_000 });
      const { id } = JSON.parse(mooringOk(desktop, "list", "--json")).result[0];
      await address(session, `/workbench?server=${id}&prompt=p0`);
      await (await session.byRole("button", startsWith(t("workbench:run.do.prompt")))).click();
      const report = "[...document.querySelectorAll('main li [data-theirs] h2')].find(({ textContent }) => textContent === 'Report')";
      await until(() => session.execute(`return ${report} !== undefined`), "the Markdown to be rendered", 30_000);
      // It contains every attempt in full.
      const numbers = await session.execute(
        `return [...${report}.parentElement.textContent.matchAll(/#(\\d+)#/g)].map(([, number]) => Number(number))`,
      );
      assert.equal(new Set(numbers).size, PAYLOADS);
      await session.settled();
      await session.screenshot(join(pictures(), "hostile-markdown.png"));
      const { fired, refused, active, handlers, remote } = await session.execute(FOUND, own);
      assert.deepEqual({ fired, refused, handlers, remote, active }, { fired: 0, refused: [], handlers: 0, remote: [], active: [] });
      assert.deepEqual(hits, []);
    });
  } finally {
    canary.closeAllConnections();
    canary.close();
  }
});

/** Ways out of a compromised page, each to `arguments[0]`. */
const WAYS_OUT = {
  goes: "location.href = arguments[0]",
  replaces: "location.replace(arguments[0])",
  opens: "open(arguments[0])",
  link: "const a = document.createElement('a'); a.href = arguments[0]; document.body.append(a); a.click()",
  linkElsewhere: "const a = document.createElement('a'); a.href = arguments[0]; a.target = '_blank'; document.body.append(a); a.click()",
  download: "const a = document.createElement('a'); a.href = arguments[0]; a.download = 'x'; document.body.append(a); a.click()",
  ping: "const a = document.createElement('a'); a.href = '#/inbox'; a.ping = arguments[0]; document.body.append(a); a.click()",
  form: "const f = document.createElement('form'); f.action = arguments[0]; f.method = 'post'; document.body.append(f); f.submit()",
  refresh:
    "const m = document.createElement('meta'); m.httpEquiv = 'refresh'; m.content = '0;url=' + arguments[0]; document.head.append(m)",
  base: "const b = document.createElement('base'); b.href = arguments[0]; document.head.append(b); const i = new Image(); i.src = 'relative.png'; b.remove()",
  image: "new Image().src = arguments[0]",
  picture: "document.body.insertAdjacentHTML('beforeend', `<img src='${arguments[0]}'><video poster='${arguments[0]}'></video>`)",
  script: "const s = document.createElement('script'); s.src = arguments[0]; document.head.append(s)",
  inline: "const s = document.createElement('script'); s.textContent = 'window.fired = 1'; document.head.append(s)",
  handler: "document.body.insertAdjacentHTML('beforeend', '<img src=x: onerror=\"window.fired = 1\">')",
  module: "import(arguments[0])",
  evaluated: "setTimeout('window.fired = 1', 0)",
  style:
    "document.head.insertAdjacentHTML('beforeend', `<link rel='stylesheet' href='${arguments[0]}'><style>body{background:url(${arguments[0]})}</style>`)",
  frame: "const f = document.createElement('iframe'); f.src = arguments[0]; document.body.append(f)",
  object: "document.body.insertAdjacentHTML('beforeend', `<object data='${arguments[0]}'></object><embed src='${arguments[0]}'>`)",
  fetch: "fetch(arguments[0]).catch(() => {})",
  beacon: "navigator.sendBeacon(arguments[0], 'x')",
  socket: "new WebSocket(arguments[0].replace('http', 'ws'))",
  events: "new EventSource(arguments[0])",
  worker: "new Worker(arguments[0])",
  scheme: "location.href = 'javascript:window.fired=1'",
  data: "location.href = 'data:text/html,<script>fetch(`' + arguments[0] + '`)</script>'",
  file: "location.href = 'file:///etc/passwd'",
};

test("a page that was taken over leads nowhere, opens nothing and fetches nothing", async () => {
  const hits = [];
  const canary = createServer((request, response) => {
    hits.push(request.url);
    response.writeHead(200, { "access-control-allow-origin": "*", "content-type": "text/html" }).end("<h1>taken</h1>");
  });
  await once(canary.listen(0, "127.0.0.1"), "listening");
  const origin = `http://127.0.0.1:${canary.address().port}`;
  try {
    await withWindow("taken-over", async (desktop) => {
      const { session } = desktop;
      const printed = [];
      desktop.onOutput = (text) => printed.push(text);
      const said = (pattern) => printed.join("").match(pattern)?.length ?? 0;
      const home = await session.execute("return location.origin");
      await session.execute(
        `window.refused = []; addEventListener("securitypolicyviolation", ({ effectiveDirective }) => window.refused.push(effectiveDirective));`,
      );
      for (const [name, way] of Object.entries(WAYS_OUT)) {
        const before = said(/refused to leave/g);
        await session.execute(`try { ${way} } catch {}`, `${origin}/${name}`);
        if (["goes", "replaces", "link"].includes(name)) await until(() => said(/refused to leave/g) > before, `${name} to be refused`);
      }
      // Each kind was blocked, and requests that have not arrived by now never will. Another window would need a click
      // first.
      await session.execute(
        `
        const a = document.createElement("a");
        Object.assign(a, { href: arguments[0], target: "_blank", textContent: "elsewhere" });
        Object.assign(a.style, { position: "fixed", inset: "0", zIndex: "9999" });
        document.body.append(a);
      `,
        `${origin}/clicked`,
      );
      await (await session.byRole("link", "elsewhere")).click();
      await session.execute("for (const a of document.querySelectorAll('a[target=_blank]')) a.remove()");
      await until(() => said(/refused to open another window/g) > 0, "another window to be refused");
      const kinds = ["script-src-elem", "img-src", "connect-src", "style-src-elem"];
      await until(async () => {
        const refused = await session.execute("return window.refused");
        return kinds.every((kind) => refused.includes(kind));
      }, `the page's policy to refuse ${kinds}`);
      await session.settled();
      assert.equal(await session.execute("return location.origin"), home);
      assert.equal(await session.execute("return window.fired ?? 0"), 0);
      // The page is still the application, and nothing was requested.
      await goTo(session, "settings");
      assert.deepEqual(hits, []);
    });
    // A control request is recorded.
    await fetch(`${origin}/control`);
    assert.deepEqual(hits, ["/control"]);
  } finally {
    canary.closeAllConnections();
    canary.close();
  }
});
