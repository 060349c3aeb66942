// A W3C WebDriver client without dependencies, with only the commands that the window tests need.
//
// Elements are found as a person finds them, by role and name, or by CSS if that isn't enough.

import { writeFile } from "node:fs/promises";

const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
const WAIT_MS = 10_000;
const POLL_MS = 40;

/** Keys for `press`, by their names on the keyboard. */
export const Key = {
  Control: "\uE009",
  Shift: "\uE008",
  Alt: "\uE00A",
  Enter: "\uE007",
  Escape: "\uE00C",
  Tab: "\uE004",
  Space: " ",
  Backspace: "\uE003",
  Delete: "\uE017",
  ArrowDown: "\uE015",
  ArrowUp: "\uE013",
  ArrowLeft: "\uE012",
  ArrowRight: "\uE014",
  Home: "\uE011",
  End: "\uE010",
};

export class WebDriverError extends Error {
  constructor(kind, message, command) {
    super(`${kind}: ${message} (${command})`);
    this.kind = kind;
  }
}

async function request(base, method, path, body, timeout = 60_000) {
  const command = `${method} ${path}`;
  const asked = fetch(base + path, {
    method,
    headers: body === undefined ? {} : { "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(timeout),
  });
  const answer = await asked.catch((error) => {
    throw new Error(`${command}: ${error.message}`, { cause: error });
  });
  const { value } = await answer.json();
  if (!answer.ok) throw new WebDriverError(value?.error ?? answer.status, value?.message ?? "", command);
  return value;
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Repeats `probe` until it returns a truthy value. After the timeout, fails with its last error or `what`. */
export async function until(probe, what, timeout = WAIT_MS) {
  const deadline = Date.now() + timeout;
  let last;
  for (;;) {
    try {
      const found = await probe();
      if (found) return found;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (Date.now() >= deadline) {
      const reason = last ? `: ${last.message}` : "";
      throw new Error(`waited ${timeout / 1000} s for ${what}${reason}`, { cause: last });
    }
    await pause(POLL_MS);
  }
}

/** Whether a WebDriver answers at `base`. */
export async function isReady(base) {
  try {
    return (await request(base, "GET", "/status", undefined, 2_000)).ready;
  } catch {
    return false;
  }
}

// Runs in the page: visible elements with this role whose accessible name equals `name` or matches it, if it is /…/.
// Any name matches if `name` is null.
const FIND_BY_ROLE = `
const [role, name, flags, within] = arguments;
const SELECTORS = {
  button: 'button,[role=button],summary', link: 'a[href],[role=link]', heading: 'h1,h2,h3,h4,[role=heading]',
  textbox: 'input:not([type]),input[type=text],input[type=search],input[type=url],input[type=number],input[type=email],textarea,[role=textbox],[role=searchbox],[role=spinbutton]',
  checkbox: 'input[type=checkbox],[role=checkbox]', radio: 'input[type=radio],[role=radio]',
  row: 'tr,[role=row]', list: 'ul,ol,[role=list]', listitem: 'li,[role=listitem]', navigation: 'nav,[role=navigation]',
  combobox: 'select,[role=combobox]', dialog: 'dialog,[role=dialog],[role=alertdialog]', status: 'output,[role=status]',
  image: 'img,[role=img]', progressbar: 'progress,[role=progressbar]', region: 'section[aria-label],section[aria-labelledby],[role=region]',
  main: 'main,[role=main]',
};
const text = (element) => (element?.textContent ?? '').replace(/\\s+/g, ' ').trim();
const byIds = (ids) => ids.split(/\\s+/).map((id) => text(document.getElementById(id))).join(' ').trim();
const nameOf = (element) =>
  (element.getAttribute('aria-labelledby') && byIds(element.getAttribute('aria-labelledby'))) ||
  element.getAttribute('aria-label')?.trim() ||
  (element.labels?.length && [...element.labels].map(text).join(' ')) ||
  element.getAttribute('alt') || element.getAttribute('placeholder') ||
  text(element) || element.getAttribute('title') || '';
const wanted = name === null ? () => true
  : flags === null ? (found) => found === name : (found) => new RegExp(name, flags).test(found);
const visible = (element) => {
  const box = element.getBoundingClientRect();
  return box.width > 0 && box.height > 0 && getComputedStyle(element).visibility === 'visible' && !element.closest('[aria-hidden=true],[inert]');
};
return [...(within ?? document).querySelectorAll(SELECTORS[role] ?? '[role=' + role + ']')]
  .filter((element) => visible(element) && wanted(nameOf(element)));
`;

const SETTLED = `
const done = arguments[arguments.length - 1];
requestAnimationFrame(() => requestAnimationFrame(() => done(true)));
`;

// Waits until the element is in the same place in two frames. The driver locates it first and then clicks there, and
// would miss an element that is still scrolling. Doesn't wait for a page that draws no frames.
const STILL = `
const [element, done] = arguments;
const place = () => { const { x, y, width, height } = element.getBoundingClientRect(); return [x, y, width, height].join(); };
let before = null, frames = 0;
const look = () => {
  const now = place();
  if (now === before || frames++ > 30) done();
  else { before = now; requestAnimationFrame(look); }
};
requestAnimationFrame(look);
setTimeout(done, 600);
`;

export class Element {
  constructor(session, id) {
    this.session = session;
    this.id = id;
  }

  async click() {
    await this.session.executeAsync(STILL, this);
    return this.session.post(`/element/${this.id}/click`, {});
  }

  /**
   * Clicks the element when that hides the window. Doesn't wait for the driver, which may never hear of the click in a
   * hidden window. A later step must show its effect.
   */
  async clickAway() {
    await this.session.executeAsync(STILL, this);
    this.session.post(`/element/${this.id}/click`, {}).catch(() => undefined);
  }

  /** Types text after the existing text, as with a keyboard. */
  type(text) {
    return this.session.post(`/element/${this.id}/value`, { text });
  }

  clear() {
    return this.session.post(`/element/${this.id}/clear`, {});
  }

  /** Replaces the text of a field. */
  async fill(text) {
    // The driver takes a field for visible if only its edge is.
    await this.session.execute("arguments[0].scrollIntoView({ block: 'center' })", this);
    await this.clear();
    await this.type(text);
  }

  text() {
    return this.session.get(`/element/${this.id}/text`);
  }

  attribute(name) {
    return this.session.get(`/element/${this.id}/attribute/${name}`);
  }

  property(name) {
    return this.session.get(`/element/${this.id}/property/${name}`);
  }

  toJSON() {
    return { [ELEMENT]: this.id };
  }
}

export class Session {
  /** Starts the application `binary` through the WebDriver at `base`. */
  static async start(base, binary, args = []) {
    const browserOptions = { binary, args };
    const capabilities = { alwaysMatch: { "webkitgtk:browserOptions": browserOptions } };
    const { sessionId } = await request(base, "POST", "/session", { capabilities });
    const session = new Session(base, sessionId);
    await session.post("/timeouts", { script: 30_000, implicit: 0 });
    return session;
  }

  constructor(base, id) {
    this.base = base;
    this.path = `/session/${id}`;
    /** The window's display, if it shows nothing but the page. */
    this.display = undefined;
  }

  get(path) {
    return request(this.base, "GET", this.path + path);
  }

  post(path, body) {
    return request(this.base, "POST", this.path + path, body);
  }

  /** Runs `script` (a function body) in the page. Elements can be arguments and results. */
  async execute(script, ...args) {
    return this.#revive(await this.post("/execute/sync", { script, args }));
  }

  /** Like `execute`, but the script calls its last argument with the result. */
  async executeAsync(script, ...args) {
    return this.#revive(await this.post("/execute/async", { script, args }));
  }

  #revive(value) {
    if (Array.isArray(value)) return value.map((item) => this.#revive(item));
    return value?.[ELEMENT] ? new Element(this, value[ELEMENT]) : value;
  }

  /** All visible elements with a role and, if given, a name (exact string or pattern). */
  allByRole(role, name = null, within = null) {
    const pattern = name instanceof RegExp;
    return this.execute(FIND_BY_ROLE, role, pattern ? name.source : name, pattern ? name.flags : null, within);
  }

  /** Waits for the first visible element with this role and name. */
  byRole(role, name = null, { within = null, timeout = WAIT_MS } = {}) {
    const probe = async () => (await this.allByRole(role, name, within))[0];
    return until(probe, `${role} ${name ?? ""}`.trim(), timeout);
  }

  /** Waits for the first element of a CSS selector. */
  byCss(selector, { timeout = WAIT_MS } = {}) {
    return until(() => this.execute("return document.querySelector(arguments[0])", selector), selector, timeout);
  }

  /** Waits until the page shows this text (string or pattern) and returns the text of the whole page. */
  shows(text, { timeout = WAIT_MS } = {}) {
    const probe = async () => {
      const page = await this.pageText();
      return (text instanceof RegExp ? text.test(page) : page.includes(text)) && page;
    };
    return until(probe, `the text ${text}`, timeout);
  }

  pageText() {
    return this.execute("return document.body.innerText");
  }

  /** Presses keys together, as in `press(Key.Control, "k")`. */
  async press(...keys) {
    const down = keys.map((value) => ({ type: "keyDown", value }));
    const up = keys.map((value) => ({ type: "keyUp", value })).reverse();
    await this.post("/actions", { actions: [{ type: "key", id: "keyboard", actions: [...down, ...up] }] });
  }

  resize(width, height) {
    return this.post("/window/rect", { width, height });
  }

  /** Waits for two frames, because earlier pictures may show an older one. */
  settled() {
    return this.executeAsync(SETTLED);
  }

  /** A picture of the window, taken from its display if that is known. */
  async #picture() {
    if (!this.display) return Buffer.from(await this.get("/screenshot"), "base64");
    const [{ x, y }, [width, height]] = await Promise.all([this.get("/window/rect"), this.execute("return [innerWidth, innerHeight]")]);
    return this.display.picture({ x, y, width, height });
  }

  /** Saves a picture of the window as a PNG file. */
  async screenshot(file) {
    await this.settled();
    await writeFile(file, await this.#picture());
    return file;
  }
}
