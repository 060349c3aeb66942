// Visits scenes: finds elements as a person does, by role and name, in the page's language.

import { startsWith, words } from "../person.mjs";
import { Key, until } from "../webdriver.mjs";

/** How long to wait for an element of a scene. */
const PATIENCE_MS = 6_000;

// Runs in the page: calls back once nothing has changed for a while, or after a limit, because some pages never rest.
// Finishes animations that end.
const STILL = `
const done = arguments[arguments.length - 1];
const [quiet, limit] = arguments;
const end = () => {
  clearTimeout(timer);
  clearTimeout(last);
  observer.disconnect();
  for (const animation of document.getAnimations()) {
    if (Number.isFinite(animation.effect?.getComputedTiming().endTime ?? Infinity)) animation.finish();
  }
  document.fonts.ready.then(() => requestAnimationFrame(() => requestAnimationFrame(() => done(true))));
};
let timer = setTimeout(end, quiet);
const last = setTimeout(end, limit);
const observer = new MutationObserver(() => {
  clearTimeout(timer);
  timer = setTimeout(end, quiet);
});
observer.observe(document, { childList: true, subtree: true, characterData: true, attributes: true });
`;

// Runs in the page: finds the largest vertically scrolling element in arguments[0], or with arguments[1] the rightmost
// one that is not nested in another, and scrolls it.
const SCROLL = `
const [within, rightmost, top] = arguments;
const boxes = [...document.querySelectorAll(within)].flatMap((root) => [root, ...root.querySelectorAll('*')])
  .filter((element) => element.scrollHeight > element.clientHeight + 4 && /auto|scroll/.test(getComputedStyle(element).overflowY));
const area = (element) => element.clientHeight * element.clientWidth;
const left = (element) => element.getBoundingClientRect().left;
const outer = boxes.filter((box) => !boxes.some((other) => other !== box && other.contains(box)));
const [box] = rightmost ? outer.sort((a, b) => left(b) - left(a)) : boxes.sort((a, b) => area(b) - area(a));
if (box) box.scrollTop = top;
`;

const CHOOSE_FILE = `
const [selector, name] = arguments;
const input = document.querySelector(selector);
const chosen = new DataTransfer();
chosen.items.add(new File(['content'], name));
input.files = chosen.files;
input.dispatchEvent(new Event('change', { bubbles: true }));
`;

/** A visit to one scene. */
export class Visitor {
  constructor(session, language) {
    this.session = session;
    this.language = language;
    this.words = words(language);
  }

  /** The text of this key. */
  t(key) {
    return this.words(key);
  }

  /** Waits until nothing changes any more, with a limit for pages that never rest. */
  rest(quiet = 120, limit = 2_500) {
    return this.session.executeAsync(STILL, quiet, limit);
  }

  /** Waits for a condition. */
  until(probe, what) {
    return until(probe, what, PATIENCE_MS);
  }

  /** The first visible element with this role and name. */
  find(role, name = null) {
    return this.session.byRole(role, name, { timeout: PATIENCE_MS });
  }

  /** Clicks the element with this role and this key's text as its name. */
  async click(role, key) {
    await (await this.find(role, this.t(key))).click();
    await this.rest();
  }

  /** Like `click`, for a name that comes from a server or has more than the text. */
  async clickNamed(role, name) {
    await (await this.find(role, name)).click();
    await this.rest();
  }

  /** Like `click`, for a name that starts with the text, because a shortcut or a count follows. */
  clickBeginning(role, key) {
    return this.clickNamed(role, startsWith(this.t(key)));
  }

  /** Waits for element number `at` of a selector. */
  css(selector, at = 0) {
    return this.until(
      () => this.session.execute("return [...document.querySelectorAll(arguments[0])].at(arguments[1])", selector, at),
      selector,
    );
  }

  /** Clicks element number `at` of a selector, even if another covers it. */
  async clickCss(selector, at = 0) {
    await this.session.execute("arguments[0].click()", await this.css(selector, at));
    await this.rest();
  }

  /** Fills field number `at` of a selector. */
  async fillCss(selector, text, at = 0) {
    await (await this.css(selector, at)).fill(text);
    await this.rest();
  }

  /** Fills the text field with this name. */
  async fill(name, text) {
    await (await this.find("textbox", name)).fill(text);
    await this.rest();
  }

  /** Presses keys together. */
  async press(...keys) {
    await this.session.press(...keys.map((key) => Key[key] ?? key));
    await this.rest();
  }

  /** Opens a list and chooses the option with this name. */
  async choose(key, option) {
    await this.click("combobox", key);
    await this.clickNamed("option", option);
  }

  /** Waits until the page shows this key's text. */
  shows(key) {
    return this.session.shows(this.t(key), { timeout: PATIENCE_MS });
  }

  /** Scrolls the largest scrolling part of the page. */
  async scroll(top = 100_000) {
    await this.session.execute(SCROLL, "main", false, top);
    await this.rest();
  }

  /** Scrolls the pane on the right. */
  async scrollPane(top = 100_000) {
    await this.session.execute(SCROLL, "main, [role=dialog]", true, top);
    await this.rest();
  }

  /** Scrolls the dialog to its end. */
  async scrollDialog(top = 100_000) {
    await this.session.execute(SCROLL, "[role=dialog]", false, top);
    await this.rest();
  }

  /** Scrolls a selector's element into view. */
  async bring(selector, at = 0) {
    await this.session.execute("arguments[0].scrollIntoView({ block: 'center' })", await this.css(selector, at));
    await this.rest();
  }

  /** Chooses a file with this name in the file chooser of a button. */
  async chooseFile(selector, name) {
    await this.session.execute(CHOOSE_FILE, selector, name);
    await this.rest();
  }

  /** Moves the keyboard focus to a selector's element. */
  async focus(selector, at = 0) {
    await this.session.execute("arguments[0].focus()", await this.css(selector, at));
    await this.rest();
  }
}
