// The Workbench: servers' tools, resources, templates and prompts, with forms, running, and with results.

import { address, ends, startsWith, toolIsOpen } from "../../person.mjs";
import { until } from "../../webdriver.mjs";
import { runDemo } from "../demo.mjs";

export const screen = "Workbench";

const demo = (search) => `/workbench?server=10&${search}`;
const of = (search, act) => ({ scene: "offers", at: demo(search), act });

/** Runs the open item, and waits until it ends in this state. */
const run =
  (kind = "tool", state = "ok") =>
  async (visitor) => {
    await visitor.clickBeginning("button", `workbench:run.do.${kind}`);
    await visitor.css(`[data-run-state="${state}"]`);
  };

/** Runs the open item, and waits for its question. */
const asks = async (visitor) => {
  await visitor.clickBeginning("button", "workbench:run.do.tool");
  await visitor.css("[data-question-in-place] h2");
  await visitor.rest();
};
/** Answers it with the keyboard, up to the review. */
const reviewed = async (visitor) => {
  await asks(visitor);
  await visitor.press("a");
  for (const letter of "Fair Wind") await visitor.session.press(letter);
  await visitor.press("Control", "Enter");
  await visitor.css("button[data-armed=true]");
};

/** Opens a tab of the result. */
const tab = (name) => (visitor) => visitor.clickBeginning("tab", `workbench:tab.${name}`);
const all =
  (...steps) =>
  async (visitor) => {
    for (const step of steps) await step(visitor);
  };

/** Edits the arguments as JSON. */
const json = (text) => async (visitor) => {
  await visitor.clickNamed("radio", "JSON");
  const editor = await visitor.css(".cm-content");
  await editor.click();
  await visitor.press("Control", "a");
  await visitor.session.execute("document.execCommand('insertText', false, arguments[0])", text);
  await visitor.rest(400);
};

/** Calls the failing tool in one of its modes. */
const fails = (kind, state) => of("tool=break", all(json(JSON.stringify({ kind })), run("tool", state)));

/** The page logs this itself when it cannot show an invalid image. */
const broken = [/^error: blob:/];

const server = (id, more = {}) => ({ at: `/workbench?server=${id}`, ...more });

/** Opens another tool of the server, like a link. */
const opens = (tool) => async (visitor) => {
  await visitor.session.execute("location.hash = location.hash.replace(/tool=\\w+/, 'tool=' + arguments[0])", tool);
  await visitor.find("tab", new RegExp(`^${tool}`));
};

export const scenes = {
  "workbench-no-servers": { scene: "empty", at: "/workbench" },
  "workbench-unread": { scene: "broken", at: "/workbench" },
  "workbench-loading": { scene: "slow", at: "/workbench", loading: true },
  "workbench-nothing-chosen": { at: "/workbench", list: true },
  "workbench-many-servers": { scene: "many", at: "/workbench" },
  "workbench-server-ready": server(10, { scene: "offers" }),
  "workbench-server-stopped": server(10),
  "workbench-server-starting": server(8),
  "workbench-server-failed": server(7),
  "workbench-server-sign-in": server(4),
  "workbench-server-reconnecting": server(9),
  "workbench-server-lists-unread": server(2, { scene: "failed_list_tools" }),
  "workbench-server-resources-unread": { scene: "unread", at: demo("tool=echo") },
  "workbench-search": {
    scene: "offers",
    at: demo("tool=echo"),
    act: async (visitor) => {
      await visitor.press("/");
      await visitor.session.press("b");
      await visitor.session.press("e");
      await visitor.rest(400);
    },
  },
  "workbench-gone": of("tool=no_such_tool"),

  "tool-form": of("tool=book_berth"),
  "tool-form-end": of("tool=book_berth", (visitor) => visitor.scroll()),
  "tool-form-every-schema": of("tool=every_schema"),
  "tool-form-every-schema-end": of("tool=every_schema", (visitor) => visitor.scroll()),
  "tool-form-choices": of("tool=every_choice"),
  "tool-form-choices-middle": of("tool=every_choice", (visitor) => visitor.scroll(560)),
  "tool-form-choices-end": of("tool=every_choice", (visitor) => visitor.scroll()),
  "tool-form-alternatives": of("tool=find_ship"),
  "tool-form-alternative-chosen": of("tool=find_ship", async (visitor) => {
    await (await visitor.css("main #field-root")).click();
    await visitor.clickNamed("option", "By name");
  }),
  "tool-form-none": of("tool=link"),
  "tool-form-not-filled-in": of("tool=echo", (visitor) => visitor.clickBeginning("button", "workbench:run.do.tool")),
  "tool-form-json": of("tool=book_berth", json('{"ship": "Fair Wind", "arrival": "2026-12-01", "contact": {"name": "Ana"}}')),
  "tool-form-json-broken": of("tool=book_berth", json('{"ship": "Fair Wind" "arrival": }')),
  "tool-claims-danger": { scene: "offers", at: "/workbench?server=3&tool=drop_table" },
  "tool-without-schema": { scene: "offers", at: "/workbench?server=3&tool=legacy_report" },

  "call-running": of("tool=progress", async (visitor) => {
    await visitor.clickBeginning("button", "workbench:run.do.tool");
    await visitor.css("[role=progressbar]");
  }),
  "call-cancelled": of("tool=progress", async (visitor) => {
    await visitor.clickBeginning("button", "workbench:run.do.tool");
    await visitor.css("[role=progressbar]");
    await visitor.clickBeginning("button", "common:cancel");
    await visitor.css('[data-run-state="cancelled"]');
  }),
  "call-asks": of("tool=register_ship", asks),
  "call-asks-entered": of(
    "tool=register_ship",
    all(asks, async (visitor) => {
      await visitor.press("a");
      await visitor.session.press("H");
    }),
  ),
  "call-asks-reviewed": of("tool=reserve_berth", reviewed),
  "call-tabs": of("tool=echo", async (visitor) => {
    await visitor.fill("text", "Ahoy");
    await opens("progress")(visitor);
    await visitor.clickBeginning("button", "workbench:run.do.tool");
    for (const name of ["add", "image"]) await opens(name)(visitor);
  }),
  "call-request": of("tool=echo", async (visitor) => {
    await visitor.fill("text", "Ahoy");
    await run()(visitor);
  }),
  "call-value-used": of("tool=echo", async (visitor) => {
    await visitor.fill("text", "Ahoy");
    await run()(visitor);
    await visitor.clickNamed("button", visitor.t("workbench:use.action"));
  }),
  "call-variables": of("tool=echo", async (visitor) => {
    await visitor.fill("text", "{{ship}} {{harbour_key}} {{berth}}");
    await visitor.click("button", "workbench:variables.title");
    const add = async (name, value) => {
      await visitor.fill(visitor.t("workbench:variables.name"), name);
      await visitor.fillCss("[role=dialog] form input:not([role=checkbox])", value, 1);
      await visitor.click("button", "workbench:variables.add");
    };
    await add("ship", "Ada");
    await add("harbour_key", "canary-4711");
    await visitor.shows("workbench:variables.sealed");
    await visitor.fill(visitor.t("workbench:variables.name"), "tug_token");
  }),
  "call-text": of("tool=long_text", run()),
  "call-image": of("tool=image", run()),
  "call-audio": of("tool=audio", run()),
  "call-link": of("tool=link", run()),
  "call-structured": of("tool=structured", all(run(), tab("structured"))),
  "call-raw": of("tool=structured", all(run(), tab("raw"))),
  "call-history": of("tool=structured", all(run(), run(), tab("history"))),
  "call-log": of("tool=log", run()),
  "call-odd": { ...of("tool=odd", run()), complaints: broken },
  "call-link-opened": {
    ...of(
      "tool=odd",
      all(run(), (visitor) => visitor.clickNamed("button", "link")),
    ),
    complaints: broken,
  },
  "call-odd-end": {
    ...of(
      "tool=odd",
      all(run(), (visitor) => visitor.scrollPane()),
    ),
    complaints: broken,
  },
  "call-becomes-a-task": of("tool=draw_chart", async (visitor) => {
    await visitor.clickBeginning("button", "workbench:run.do.tool");
    await visitor.css("[role=progressbar]");
  }),
  "call-tool-error": fails("tool_error", "tool_error"),
  "call-server-error": fails("protocol_error", "rpc_error"),
  "call-timed-out": fails("timeout", "timed_out"),
  "call-connection-ended": fails("closed", "failed"),
  "call-too-large": fails("too_large", "failed"),
  "call-too-large-end": of(
    "tool=break",
    all(json('{"kind": "too_large"}'), run("tool", "failed"), (visitor) => visitor.scrollPane()),
  ),
  "call-none-raw": of("tool=echo", tab("raw")),
  "call-none-structured": of("tool=structured", tab("structured")),
  "call-none-history": of("tool=echo", tab("history")),

  resource: of("resource=harbour://guide"),
  "resource-markdown": of("resource=harbour://guide", run("resource")),
  "resource-markdown-source": of(
    "resource=harbour://guide",
    all(run("resource"), (visitor) => visitor.click("radio", "workbench:markdown.source")),
  ),
  "resource-json": of("resource=demo://harbour/weather", run("resource")),
  "resource-image": of("resource=harbour://lighthouse.png", run("resource")),
  "resource-sound": of("resource=demo://harbour/horn.wav", run("resource")),
  "resource-drawing": of("resource=demo://harbour/chart.svg", run("resource")),
  "resource-code": of("resource=demo://harbour/src/lights.rs", run("resource")),
  "resource-bytes": of("resource=demo://harbour/plan.bin", run("resource")),
  "resource-too-large": of("resource=demo://harbour/soundings.tar"),
  "resource-several-parts": of("resource=demo://harbour/", run("resource")),
  "resource-gone": of("resource=demo://harbour/atlantis", run("resource", "rpc_error")),
  "resource-odd": of("resource=demo://harbour/odd", run("resource")),
  "resource-followed": of("resource=demo://harbour/weather", (visitor) => visitor.clickCss("main [role=switch]")),
  template: of("template=demo://berths/%7Bcity%7D%7B%3Ffrom,to%7D"),
  "template-completing": of("template=demo://berths/%7Bcity%7D%7B%3Ffrom,to%7D", async (visitor) => {
    await (await visitor.find("combobox", /^city/)).type("Ro");
    await visitor.find("option");
  }),
  "template-read": of("template=demo://berths/%7Bcity%7D%7B%3Ffrom,to%7D", async (visitor) => {
    await (await visitor.find("combobox", /^city/)).fill("Rotterdam");
    await visitor.press("Escape");
    await run("template")(visitor);
  }),
  prompt: of("prompt=passage_plan"),
  "prompt-got": of("prompt=passage_plan", async (visitor) => {
    await (await visitor.find("combobox", /^from/)).fill("Rotterdam");
    await visitor.press("Escape");
    await (await visitor.find("combobox", /^to\b(?!ne)/)).fill("青岛");
    await visitor.press("Escape");
    await run("prompt")(visitor);
  }),
  "prompt-every-content": of("prompt=everything", run("prompt")),
  "prompt-without-arguments": of("prompt=explain_guide", run("prompt")),
  tasks: of("view=tasks"),
  "tasks-none": { scene: "offers", at: "/workbench?server=2&view=tasks" },
  "tasks-unread": { scene: "failed_list_tasks", at: "/workbench?server=2&view=tasks" },
};

/** Opens another item of the demo server. */
async function openOffer({ session, demo }, kind, name, heading) {
  await address(session, `/workbench?server=${demo}&${kind}=${encodeURIComponent(name)}`);
  await session.byRole("heading", heading);
}

/** Reads or gets the open item, and waits until it ends. */
async function ask({ session, t }, kind) {
  await (await session.byRole("button", startsWith(t(`workbench:run.do.${kind}`)))).click();
  await ends(session, "ok");
}

export const inWindow = {
  "workbench-form": async ({ session, demo }) => {
    await address(session, `/workbench?server=${demo}&tool=book_berth`);
    await toolIsOpen(session, "book_berth");
    await session.shows("shore_power");
  },
  "workbench-running": async ({ session, demo, t }) => {
    await address(session, `/workbench?server=${demo}&tool=progress`);
    await toolIsOpen(session, "progress");
    await (await session.byRole("textbox", "seconds")).fill("60");
    await (await session.byRole("button", startsWith(t("workbench:run.do.tool")))).click();
    const bar = await session.byRole("progressbar");
    await until(async () => Number(await bar.attribute("aria-valuenow")) > 0, "progress");
    return async () => {
      await session.byRole("progressbar"); // it has run all the time
      await (await session.byRole("button", startsWith(t("common:cancel")))).click();
      await ends(session, "cancelled");
    };
  },
  "workbench-image": async (place) => {
    await runDemo(place, "image");
    await until(() => place.session.execute("return document.querySelector('main img')?.naturalWidth > 0"), "the image");
  },
  "workbench-audio": async (place) => {
    await runDemo(place, "audio");
    await place.session.byRole("button", place.t("workbench:audio.play"));
  },
  "workbench-link": async (place) => {
    await runDemo(place, "link");
    await place.session.shows("harbour://guide");
    await place.session.shows(place.t("workbench:result.kind.link"));
  },
  "workbench-structured": async (place) => {
    await runDemo(place, "structured");
    await (await place.session.byRole("tab", startsWith(place.t("workbench:tab.structured")))).click();
    await place.session.shows("青岛");
  },
  "workbench-raw": async (place) => {
    await runDemo(place, "structured");
    await (await place.session.byRole("tab", startsWith(place.t("workbench:tab.raw")))).click();
    await place.session.shows(place.t("workbench:raw.received"));
    await place.session.shows('"structuredContent"');
  },
  "workbench-resource": async (place) => {
    await openOffer(place, "resource", "harbour://guide", "guide");
    await ask(place, "resource");
    await place.session.shows("Before you arrive");
  },
  "workbench-template": async (place) => {
    await openOffer(place, "template", "harbour://berths/{city}", "berths-of-city");
    await (await place.session.byRole("combobox", "city")).fill("Rotterdam");
    await place.session.shows("harbour://berths/Rotterdam");
    await ask(place, "template");
    await place.session.shows("openAtNight");
  },
  "workbench-prompt": async (place) => {
    await openOffer(place, "prompt", "passage_plan", "passage_plan");
    await (await place.session.byRole("combobox", "from")).fill("Rotterdam");
    await (await place.session.byRole("combobox", "to")).fill("青岛");
    await ask(place, "prompt");
    await place.session.shows(place.t("workbench:prompt.role.assistant"));
  },
};
