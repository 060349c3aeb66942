// The window in Chinese: Mooring shows no English on any screen or in any error. Servers' texts, names and protocol
// terms are not translated.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { binary, pictures } from "./desktop.mjs";
import { english } from "./english.mjs";
import { address, ends, mooringOk, startsWith, toolIsOpen, withPage, withWindow, words } from "./person.mjs";
import { Key, until } from "./webdriver.mjs";

const t = words("zh-CN");

/** All texts of a server about itself and its offers, longest first. */
function saidBy(answer) {
  const said = [];
  const gather = (value) => {
    if (typeof value === "string") said.push(value.trim());
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(gather);
  };
  gather(answer);
  return said.filter((text) => text.length > 2).toSorted((a, b) => b.length - a.length);
}

test("no sentence of Mooring's own is in English in a Chinese window", () =>
  withWindow("chinese", async (desktop) => {
    const { session } = desktop;
    const wrong = [];
    const known = ["English", "Demo", "seconds"];
    const look = async (scene) => {
      await session.settled();
      const found = await english(session, known);
      if (found.length > 0) await session.screenshot(join(pictures(), `english-${scene}.png`));
      wrong.push(...found.map((text) => `${scene}: ${text}`));
    };

    await session.byCss("main[aria-label]");
    await address(session, "/settings");
    await (await session.byRole("combobox", startsWith(words("en")("settings:appearance.language.label")))).click();
    await (await session.byRole("option", "简体中文")).click();
    await session.shows(t("settings:appearance.title"));
    await look("settings");
    for (const section of ["notifications", "folders", "limits", "log", "programs", "data", "sign_in", "shortcuts", "about"]) {
      await address(session, `/settings?section=${section}`);
      await session.byCss(`main section#${section}`);
      await look(`settings-${section}`);
    }
    await address(session, "/policies");
    await session.shows(t("policies:template.title"));
    await look("policies");

    await address(session, "/servers");
    await session.shows(t("servers:welcome.title"));
    await look("welcome");
    await (await session.byRole("button", startsWith(t("servers:welcome.demo.title")))).click();
    await session.byRole("row", new RegExp(`^demo.*${t("common:state.ready")}`, "i"), { timeout: 30_000 });
    known.push(...saidBy(JSON.parse(mooringOk(desktop, "tools", "--json", "--", binary("mooring-demo-server"))).result));

    const script = join(desktop.directory, "noise.sh");
    writeFileSync(script, "echo 'cannot find the chart' >&2\nexit 4\n");
    await withPage(200, "text/html", "<h1>Welcome</h1>", (page) =>
      withPage(500, "text/plain", "the engine room is flooded", (broken) =>
        withPage(401, "text/plain", "who goes there", async (closed) => {
          const scripted = binary("mooring-scripted-server");
          const servers = {
            nowhere: ["--", "no-such-program-anywhere"],
            exits: ["--", "sh", script],
            page: ["--url", page],
            broken: ["--url", broken],
            closed: ["--url", closed],
            nobody: ["--url", "http://127.0.0.1:9/mcp"],
            "bad-tools": ["--", scripted, "bad-tools"],
            garbage: ["--", scripted, "garbage"],
            sparse: ["--", scripted, "sparse-handshake"],
            refuses: ["--", scripted, "refuse-initialize"],
            "too-new": ["--", scripted, "revision", "2099-01-01"],
          };
          for (const [name, how] of Object.entries(servers)) mooringOk(desktop, "add", name, ...how);
          const listed = JSON.parse(mooringOk(desktop, "list", "--json")).result;
          const id = (name) => listed.find((server) => server.name.toLowerCase() === name).id;
          known.push(...saidBy(JSON.parse(mooringOk(desktop, "tools", "--json", "--", scripted, "bad-tools")).result));
          const settled = `${t("common:state.ready")}|${t("common:state.failed")}|${t("common:state.degraded")}|${t("common:state.reconnecting")}|${t("common:state.sign_in_needed")}`;
          for (const name of Object.keys(servers)) {
            await session.byRole("row", new RegExp(`^${name}.*(${settled})`, "i"), { timeout: 60_000 });
          }
          await look("servers");
          for (const name of ["demo", ...Object.keys(servers)]) {
            await address(session, `/servers?id=${id(name)}`);
            await session.byCss(`aside[aria-label="${t("servers:inspector.label").replace("{{name}}", name === "demo" ? "Demo" : name)}"]`);
            await look(`details-${name}`);
          }
          for (const tab of ["tools", "settings"]) {
            for (const name of ["demo", "bad-tools"]) {
              await address(session, `/servers?id=${id(name)}&tab=${tab}`);
              await session.byRole("tab", startsWith(t(`servers:inspector.${tab}`)));
              await look(`${tab}-${name}`);
            }
          }

          await workbench({ session, look, demo: id("demo"), bad: id("bad-tools"), failed: id("nowhere") });
        }),
      ),
    );
    await adding({ session, look });
    await limits({ session, look });
    await activity({ session, look });
    await address(session, "/servers");
    await session.press(Key.Control, "k");
    await session.byRole("combobox");
    await look("palette");
    await session.press(Key.Escape);
    assert.deepEqual(wrong, []);
  }));

/** Calls that succeed and that fail in each way, and servers that cannot be called. */
async function workbench({ session, look, demo, bad, failed }) {
  const open = async (server, tool) => {
    await address(session, `/workbench?server=${server}&tool=${tool}`);
    await toolIsOpen(session, tool);
  };
  const run = async () => (await session.byRole("button", startsWith(t("workbench:run.do.tool")))).click();
  await address(session, `/workbench?server=${failed}`);
  await session.shows(t("servers:failure.command_not_found.title"));
  await look("workbench-failed-server");
  for (const [tool, state] of [
    ["structured", "ok"],
    ["image", "ok"],
    ["audio", "ok"],
    ["link", "ok"],
  ]) {
    await open(demo, tool);
    await run();
    await ends(session, state);
    await look(`call-${tool}`);
  }
  await open(demo, "fail");
  await run();
  await ends(session, "tool_error");
  await look("call-tool-error");
  await open(demo, "progress");
  await (await session.byRole("textbox", "seconds")).fill("60");
  await run();
  await session.byRole("progressbar");
  await look("call-running");
  await (await session.byRole("button", startsWith(t("common:cancel")))).click();
  await ends(session, "cancelled");
  await look("call-cancelled");
  await address(session, `/workbench?server=${bad}`);
  await session.byCss("[role=treeitem]");
  await look("workbench-bad-server");
}

/** Servers that are rejected before they are saved, and a configuration with mistakes. */
async function adding({ session, look }) {
  await address(session, "/servers?add=command");
  await (await session.byRole("textbox", t("servers:form.command.label"))).fill("no-such-program-anywhere --flag");
  await session.shows(t("servers:preview.where"));
  await look("add-command");
  await session.press(Key.Escape);
  for (const url of ["ftp://harbour.example/mcp", "http://", "http://user:word@harbour.example/mcp", "http://harbour.example:99999/mcp"]) {
    await address(session, "/servers?add=url");
    await (await session.byRole("textbox", t("servers:form.url.label"))).fill(url);
    await (await session.byRole("button", startsWith(t("servers:add.connect")))).click();
    await look(`add-url-${url.replaceAll(/\W+/g, "-")}`);
    await session.press(Key.Escape);
    await address(session, "/servers");
  }
  await address(session, "/servers?add=import");
  const editor = await session.byCss(".cm-content");
  await editor.click();
  await editor.type(
    '{"mcpServers": {"good": {"command": "true"}, "bad": {"command": 7}, "bare": {}, "ftp": {"url": "ftp://x"}, "open": {"command": "a" "args": [x]}, "half": {"url": "http://"}',
  );
  await session.shows(t("servers:import.show").slice(0, 2));
  await look("add-import");
  await session.press(Key.Escape);
  await address(session, "/servers");
}

/** Limits that are rejected. */
async function limits({ session, look }) {
  await address(session, "/settings?section=limits");
  await session.shows(t("settings:limits.text"));
  for (const name of ["maxMessageMiB", "startTimeoutSeconds", "requestTotalSeconds"]) {
    const field = await session.byRole("textbox", startsWith(t(`settings:limits.${name}.label`)));
    await field.fill("0");
    await field.type(Key.Enter);
  }
  await look("settings-refused");
}

/** The events of all that in Activity. */
async function activity({ session, look }) {
  await address(session, "/activity?method=tools/call");
  await session.byRole("row", /tools\/call/);
  await look("activity-calls");
  // Servers that are retried write events all the time, so the rows depend on the moment.
  await address(session, "/activity");
  await until(() => session.execute("return document.querySelectorAll('main [role=row]').length > 1"), "rows of everything");
  await look("activity");
  for (const kind of ["state", "diagnostic", "verdict", "stderr"]) {
    await address(session, `/activity?kind=${kind}`);
    await session.shows(t(`activity:kind.${kind}`));
    const rows = await until(() => session.execute("return document.querySelectorAll('main [role=row]').length"), `rows of ${kind}`);
    await look(`activity-${kind}`);
    for (let index = 1; index < Math.min(rows, 12); index += 1) {
      // Open rows even if they scroll.
      await session.execute("document.querySelectorAll('main [role=row]')[arguments[0]]?.click()", index);
      await look(`activity-${kind}-${index}`);
    }
  }
}
