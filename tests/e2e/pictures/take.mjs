// `cargo xtask pictures`: shows every screen in every state, in the window's web view with the mock backend. Saves the
// pictures in target/pictures. Fails if any has a problem.

import { mkdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { violationsOf } from "../axe.mjs";
import { Desktop } from "../desktop.mjs";
import { wear } from "../person.mjs";
import { until } from "../webdriver.mjs";
import { fileOf, screens, tidy, writeIndex } from "./catalogue.mjs";
import { faults } from "./checks.mjs";
import { serve } from "./page.mjs";
import { Visitor } from "./visitor.mjs";

const SIZES = ["1280x800", "900x600"];
/** More sizes for scenes with lists: the least room next to a pane, and a 1280x800 window at 130 %. */
const SIZES_OF_LISTS = ["1100x800", "985x615"];
/** Larger than any window, so that none is moved or clipped. */
const SCREEN = { width: 1700, height: 1200 };
/** How many pages are open at once. Drawing one keeps its browser and the display busy. */
const AT_ONCE = Math.max(1, Math.floor(availableParallelism() / 2));
/** Rules for whole pages that an open list over the page cannot satisfy, because the rest is hidden. */
const OF_WHOLE_PAGES = ["aria-hidden-focus", "landmark-one-main", "page-has-heading-one", "region"];
/** A rule that mistakes every link of the window for a link within the page, because they all start with "#". */
const OF_OTHER_PAGES = "skip-link";
/** A new browser is opened after this many pages, because its memory grows. */
const PAGES_A_BROWSER = 60;
/** How often to try a scene if the browser crashes, and to take its picture. */
const ATTEMPTS = 3;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    look: { type: "string", multiple: true, default: ["light", "dark"] },
    language: { type: "string", multiple: true, default: ["en", "zh-CN"] },
    size: { type: "string", multiple: true },
  },
});
const pattern = new RegExp(positionals[0] ?? "");
const directory = process.env.MOORING_PICTURES;
const browser = process.env.MOORING_BROWSER;
const pages = process.env.MOORING_PAGES;
if (!directory || !browser || !pages) throw new Error("run this through `cargo xtask pictures`");

/** Whether a person sees the page before it has loaded any data. */
const LOADED =
  "return document.querySelector('main') !== null && document.getElementById('shell') === null && (arguments[0] || document.querySelector('main [role=status][aria-label=\"' + arguments[1] + '\"]') === null)";

/** A browser on its own display, with a page of exactly the requested size. */
class Browser {
  static async open() {
    const desktop = await Desktop.start({ program: browser, args: ["--automation"], screen: SCREEN, shownWhole: false });
    return new Browser(desktop);
  }

  constructor(desktop) {
    this.desktop = desktop;
    this.size = undefined;
  }

  get session() {
    return this.desktop.session;
  }

  /** The window is larger than its page, because of the browser's frame. */
  async resize(size) {
    if (this.size === size) return;
    const [width, height] = size.split("x").map(Number);
    await this.session.resize(width, height);
    await until(async () => {
      const [inner, high] = await this.session.execute("return [innerWidth, innerHeight]");
      if (inner === width && high === height) return true;
      const window = await this.session.get("/window/rect");
      await this.session.resize(window.width + width - inner, window.height + height - high);
      await this.session.settled();
      return false;
    }, `a page of ${size}`);
    this.size = size;
  }

  async restart() {
    this.size = undefined;
    await this.desktop.restart();
  }
}

/** Opens a scene and takes its picture in every theme. Returns its problems. */
async function visit(tab, address, { name, scene: { scene = "usual", at, query = "", act, loading = false, complaints }, language, size }) {
  const { session } = tab;
  const wrong = [];
  const note = (look, what) => wrong.push({ name, look: `${look}-${language}-${size}`, what });
  const [first] = values.look;
  try {
    await session.post("/url", { url: `${address}?scene=${scene}&theme=${first}&lang=${language}&feed=0${query}#${at}` });
    await tab.resize(size);
    const visitor = new Visitor(session, language);
    await until(() => session.execute(LOADED, loading, visitor.t("common:loading")), "the page", 8_000);
    await visitor.rest();
    if (act) {
      await act(visitor);
      await visitor.rest();
    }
  } catch (error) {
    if (gaveUp(error)) throw error;
    await session.screenshot(join(directory, fileOf(name, { look: first, language, size })));
    note(first, `not reached: ${error.message}`);
    return wrong;
  }
  let before;
  for (const look of values.look) {
    await wear(session, look);
    const picture = await shoot(session, join(directory, fileOf(name, { look, language, size })), before);
    if (before?.equals(picture)) note(look, "it still has the theme of the picture before");
    before = picture;
    if (look === first) {
      for (const violation of await violations(session)) note(look, violation);
      for (const fault of await faults(session, { language, complaints })) note(look, fault);
    } else if (language === values.language[0]) {
      // The other theme only differs in its colours, which don't depend on the language.
      for (const violation of await violations(session, { colours: true })) note(look, violation);
    }
  }
  return wrong;
}

/** Takes a picture, and retries if a busy display still shows the previous one. */
async function shoot(session, file, before) {
  for (let attempt = 1; ; attempt += 1) {
    const picture = readFileSync(await session.screenshot(file));
    if (attempt === ATTEMPTS || !before?.equals(picture)) return picture;
  }
}

/** axe's findings, one line each. */
async function violations(session, options) {
  const listOpen = await session.execute(
    "return document.querySelector('[role=listbox], [role=menu]') !== null && document.querySelector('[data-aria-hidden=true]') !== null",
  );
  const found = await violationsOf(session, "axe", options);
  return found
    .filter((violation) => !violation.startsWith(`axe: ${OF_OTHER_PAGES} `))
    .filter((violation) => !listOpen || !OF_WHOLE_PAGES.some((rule) => violation.startsWith(`axe: ${rule} `)))
    .map((violation) => violation.replaceAll(/\s*\n\s*/g, " "));
}

/** Whether the error is the browser's fault, not the page's. */
function gaveUp(error) {
  return /invalid session|Could not parse|fetch failed|tab crashed|no such window/i.test(`${error.message} ${error.cause?.message ?? ""}`);
}

async function visitAgain(tab, address, visited) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await visit(tab, address, visited);
    } catch (error) {
      if (attempt === ATTEMPTS)
        return [{ name: visited.name, look: `${visited.language}-${visited.size}`, what: `given up: ${error.message}` }];
      console.log(`  the browser gave up at ${visited.name}, it is started again: ${error.message}`);
      await tab.restart();
    }
  }
}

/** For example "3 min 20 s". */
function lasting(seconds) {
  const rounded = Math.round(seconds);
  return rounded < 60 ? `${rounded} s` : `${Math.floor(rounded / 60)} min ${String(rounded % 60).padStart(2, "0")} s`;
}

/** Shows progress: a line that is overwritten in a terminal, or a line now and then. */
function progress(total) {
  const began = Date.now();
  let said = 0;
  return (done, words) => {
    const seconds = (Date.now() - began) / 1_000;
    const line = `${done} of ${total}, ${lasting((seconds / Math.max(1, done)) * (total - done))} left: ${words}`;
    if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${line.slice(0, process.stdout.columns - 1)}`);
    else if (seconds - said >= 10 || done === total) {
      said = seconds;
      console.log(line);
    }
  };
}

mkdirSync(directory, { recursive: true });
const all = await screens();
tidy(directory, all);
const chosen = all.flatMap(({ scenes }) => Object.entries(scenes)).filter(([name]) => pattern.test(name));
if (chosen.length === 0) {
  console.error(`no scene is called like ${pattern.source}`);
  process.exit(1);
}
const sizesOf = ({ list = false }) => values.size ?? (list ? [...SIZES, ...SIZES_OF_LISTS] : SIZES);
const visits = values.language.flatMap((language) =>
  chosen.flatMap(([name, scene]) => sizesOf(scene).map((size) => ({ name, scene, language, size }))),
);
// Sorted by size, because resizing the browser for every page is slower.
visits.sort((left, right) => left.size.localeCompare(right.size));
console.log(`${chosen.length} scenes, ${visits.length * values.look.length} pictures`);

const began = Date.now();
const wrong = [];
const { address, close } = await serve(pages);
const tell = progress(visits.length);
let next = 0;
let done = 0;

/** Takes scenes until there are none left. */
async function work() {
  const tab = await Browser.open();
  try {
    let pages = 0;
    for (let visited = visits[next++]; visited !== undefined; visited = visits[next++]) {
      pages += 1;
      if (pages % PAGES_A_BROWSER === 0) await tab.restart();
      const found = await visitAgain(tab, address, visited);
      wrong.push(...found);
      if (found.length > 0 && process.stdout.isTTY) process.stdout.write("\r\x1b[K");
      for (const { name, look, what } of found) console.log(`${name} ${look}: ${what}`);
      done += 1;
      tell(done, `${visited.name} ${visited.language} ${visited.size}`);
    }
  } finally {
    await tab.desktop.close();
  }
}

try {
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, visits.length) }, work));
  if (process.stdout.isTTY) process.stdout.write("\n");
} finally {
  close();
}
const index = writeIndex(directory, all, wrong);
console.log(
  `${visits.length * values.look.length} pictures of ${chosen.length} scenes in ${lasting((Date.now() - began) / 1_000)}: ${relative(process.cwd(), index)}`,
);
if (wrong.length > 0) {
  console.log(`\n${wrong.length} things are wrong on ${new Set(wrong.map(({ name }) => name)).size} scenes:`);
  for (const { name, look, what } of wrong) console.log(`  ${name} ${look}: ${what}`);
  process.exitCode = 1;
}
