// Uses the window with the keyboard alone.

import assert from "node:assert/strict";
import { Key, until } from "./webdriver.mjs";

/** The accessible name of the focused element, or its label. */
const FOCUSED = `
  const element = document.activeElement;
  const label = element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent;
  return element === document.body ? '' : label.replace(/\\s+/g, ' ').trim();
`;

/** A person without a pointer. */
export class Keys {
  constructor(session) {
    this.session = session;
  }

  press(...keys) {
    return this.session.press(...keys);
  }

  focused() {
    return this.session.execute(FOCUSED);
  }

  /** Presses Tab until the focused element's name starts like this. */
  async tabTo(name) {
    const passed = [];
    for (let times = 0; times < 80; times += 1) {
      await this.press(Key.Tab);
      const focused = await this.focused();
      if (focused.startsWith(name)) return;
      passed.push(focused);
    }
    assert.fail(`no Tab leads to ${name}: ${passed.join(" | ")}`);
  }

  async type(text) {
    for (const letter of text) await this.press(letter);
  }

  /** The id of the current question, from the URL. */
  async chosen() {
    return Number(/id=(\d+)/.exec(await this.session.execute("return location.hash"))?.[1]);
  }

  /** Waits until the approval is enabled. */
  armed() {
    return until(
      () => this.session.execute("return document.querySelector('footer button[data-armed=true]') !== null"),
      "the approval to count",
    );
  }
}
