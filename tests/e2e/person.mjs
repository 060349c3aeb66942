// A person's actions in the window, in terms of the screens, for all tests.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { binary, Desktop, pictures } from "./desktop.mjs";
import { until } from "./webdriver.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The texts of the screens in a language: `words("en")("servers:place")`. */
export function words(language) {
  const files = new Map();
  return (key) => {
    const [file, path] = key.split(":");
    if (!files.has(file)) {
      files.set(file, JSON.parse(readFileSync(join(ROOT, "ui/src/locales", language, `${file}.json`), "utf8")));
    }
    const text = path.split(".").reduce((value, part) => value?.[part], files.get(file));
    if (typeof text !== "string") throw new Error(`no words for ${key} in ${language}`);
    return text;
  };
}

/** The texts of the screens that differ between English and Chinese. */
export function englishOnly() {
  const texts = (language) => {
    const found = new Map();
    const gather = (path, value) => {
      if (typeof value === "string") found.set(path, value);
      else for (const [name, inner] of Object.entries(value)) gather(`${path}.${name}`, inner);
    };
    const directory = join(ROOT, "ui/src/locales", language);
    for (const file of readdirSync(directory)) gather(file, JSON.parse(readFileSync(join(directory, file), "utf8")));
    return found;
  };
  const chinese = texts("zh-CN");
  return new Set([...texts("en")].filter(([path, text]) => chinese.get(path) !== text).map(([, text]) => text));
}

/** A pattern for names that start with this text. */
export const startsWith = (text) => new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`);

/** The first and last lines of a long text, so that the error itself stays visible. */
const shortened = (text, lines = text.split("\n")) =>
  lines.length > 60 ? [...lines.slice(0, 30), `(${lines.length - 60} lines more)`, ...lines.slice(-30)].join("\n") : text;

/**
 * Opens the window for a test and closes it afterwards. An error leaves a picture, the page's text and the window's
 * output.
 */
export async function withWindow(name, work, { sized = true, ...options } = {}) {
  const desktop = await Desktop.start(options);
  try {
    if (sized) await desktop.session.resize(1280, 800);
    await work(desktop);
  } catch (error) {
    const session = desktop.session;
    const picture = session && (await session.screenshot(join(pictures(), `failed-${name}.png`)).catch(() => "none"));
    const page = session && shortened(await session.pageText().catch(() => "unknown"));
    const printed = desktop.output();
    throw new Error(`${error.message}\npicture: ${picture}\npage: ${page}\nprinted: ${printed}`, { cause: error });
  } finally {
    await desktop.close();
  }
}

/** Runs `mooring` on the window's data folder, as in a terminal. */
export function mooring(desktop, ...args) {
  const ran = spawnSync(binary("mooring"), args, { env: desktop.env, encoding: "utf8", timeout: 60_000 });
  return { code: ran.status, stdout: ran.stdout, stderr: ran.stderr };
}

/** Runs `mooring` in its own terminal while the test continues. Resolves with its output and exit code. */
export function mooringInTerminal(desktop, ...args) {
  const child = spawn("setsid", ["--wait", binary("mooring"), ...args], { env: desktop.env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, said })));
}

/** Runs `mooring`, which must succeed. */
export function mooringOk(desktop, ...args) {
  const ran = mooring(desktop, ...args);
  if (ran.code !== 0) throw new Error(`mooring ${args.join(" ")} ended with ${ran.code}: ${ran.stderr}${ran.stdout}`);
  return ran.stdout;
}

/** Opens a screen from the navigation bar. */
export async function goTo(session, place) {
  const t = words("en");
  await (await session.byRole("link", startsWith(t(`${place}:place`)))).click();
  await session.byCss(`main[aria-label="${t(`${place}:place`)}"]`);
}

// Applies a theme to the page without colour transitions.
const THEME = `
  document.documentElement.dataset.theme = arguments[0];
  getComputedStyle(document.body).color;
  for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish();
`;

/** Shows the page in a theme, regardless of the settings. */
export function wear(session, theme) {
  return session.execute(THEME, theme);
}

/** Opens an address in the window, like a link, once the window has shown its first screen. */
export async function address(session, path) {
  await until(() => session.execute("return location.hash.length > 2 && !!document.querySelector('main')"), "the first screen");
  return session.execute("location.hash = arguments[0]", path);
}

/** From the empty state to a ready demo server. */
export async function startDemo(session) {
  await (await session.byRole("button", /^Start the demo server/)).click();
  await session.byRole("row", /^demo.*Ready/i, { timeout: 30_000 });
}

/** Clicks a row of a table on its first text, as a person would. */
export async function clickRow(session, name) {
  const row = await session.byRole("row", name, { timeout: 30_000 });
  await (await session.execute("return arguments[0].querySelector('td b, [role=gridcell]:nth-child(3)')", row)).click();
}

/** Opens a tool in the Workbench. */
export async function openTool(session, tool) {
  await (await session.byRole("treeitem", tool)).click();
  await toolIsOpen(session, tool);
}

/** Waits until the Workbench shows this tool. */
export function toolIsOpen(session, tool) {
  return session.byRole("heading", tool);
}

/** Presses Run and waits until the call ends in this state. */
export async function run(session, state = "ok") {
  await (await session.byRole("button", /^Run/)).click();
  await ends(session, state);
}

/** Waits until the shown call has this state. */
export function ends(session, state, timeout = 30_000) {
  return session.byCss(`[data-run-state="${state}"]`, { timeout });
}

/** Opens a tab. */
export async function openTab(session, name) {
  await until(async () => {
    const tab = await session.byRole("tab", startsWith(name));
    if ((await tab.attribute("aria-selected")) === "true") return true;
    try {
      await tab.click();
    } catch (error) {
      if (error.kind !== "element not interactable") throw error;
      // It isn't visible: the menu next to a narrow tab strip has all tabs.
      await (await session.byCss('[role="tablist"] + button[aria-haspopup="menu"]')).click();
      await (await session.byRole("menuitem", startsWith(name))).click();
    }
    return false;
  }, `the tab ${name}`);
}

/** Answers every request with the same page, on the loopback interface, while `work` runs. */
export async function withPage(status, type, body, work) {
  const server = createServer((_request, response) => response.writeHead(status, { "content-type": type }).end(body));
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    await work(`http://127.0.0.1:${server.address().port}/mcp`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
