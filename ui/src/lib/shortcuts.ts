// Keyboard shortcuts of the window. One listener; the newest registration of a shortcut wins.
import { useEffect, useEffectEvent } from "react";
import { composing } from "./composing";
import { isMac } from "./platform";

type Handler = (event: KeyboardEvent) => void;
interface Binding {
  keys: string;
  handler: Handler;
  always: boolean;
  rests: boolean;
  repeats: boolean;
  within: string | null;
}

const bindings: Binding[] = [];

/** The event written as a shortcut: `mod+k`, `shift+?`, `j`. Null with the other one of Ctrl and ⌘: that is none of ours. */
function written(event: KeyboardEvent): string | null {
  if (isMac ? event.ctrlKey : event.metaKey) return null;
  const parts: string[] = [];
  if (isMac ? event.metaKey : event.ctrlKey) parts.push("mod");
  if (event.altKey) parts.push("alt");
  const key = event.key.toLowerCase();
  // Printable marks such as ? already contain their shift.
  if (event.shiftKey && (event.key.length > 1 || /[a-z]/i.test(event.key))) parts.push("shift");
  parts.push(key === " " ? "space" : key);
  return parts.join("+");
}

/** What Space presses. */
const PRESSED = "button,summary,[role=button],[role=tab],[role=checkbox],[role=switch]";

/** A closed list in which something was just chosen: nobody goes on choosing in it by letters. */
const SETTLED = "[role=combobox][data-settled]";

/** Whether what has the focus does something of its own with these keys. With `rests`, a chord as well is its own in a text. */
function taken(event: KeyboardEvent, keys: string, rests: boolean): boolean {
  const { target } = event;
  if (!(target instanceof HTMLElement)) return false;
  const chord = keys.startsWith("mod+");
  if (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return !chord || rests;
  // A closed list chooses by the letters that are typed on it, and who types takes one back.
  if (target.closest("[role=combobox]") && !target.closest(SETTLED)) return !chord && (event.key.length === 1 || event.key === "Backspace");
  return keys === "space" && target.closest(PRESSED) !== null;
}

/** Whether a shortcut comes before what has the focus: a checkbox stops Enter, and a closed list opens by it, also with Ctrl. */
function comesFirst(event: KeyboardEvent, keys: string): boolean {
  return keys.startsWith("mod+") || (event.target instanceof HTMLElement && event.target.closest(SETTLED) !== null);
}

/** Something floats above the page and owns the keys: a dialog, a menu, a list box. */
export function overlayOpen(): boolean {
  return document.querySelector("[role=dialog][data-modal=true],[role=menu],[role=listbox][data-state=open]") !== null;
}

/** The shortcuts that count where the focus is: those of the part that has it come before those of the whole page. */
function newestFirst({ target }: KeyboardEvent): Binding[] {
  const here = bindings
    .toReversed()
    .filter(({ within }) => within === null || (target instanceof Element && target.closest(within) !== null));
  return here.toSorted((one, other) => Number(one.within === null) - Number(other.within === null));
}

/** Once on the way to what has the focus, once on the way back. */
function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || composing(event)) return;
  const keys = written(event);
  if (keys === null || comesFirst(event, keys) !== (event.eventPhase === Event.CAPTURING_PHASE)) return;
  for (const binding of newestFirst(event)) {
    if (binding.keys !== keys) continue;
    if (!binding.always && (overlayOpen() || taken(event, keys, binding.rests))) continue;
    event.preventDefault();
    event.stopPropagation();
    // A key that is held says nothing about what stands there the next moment.
    if (binding.repeats || !event.repeat) binding.handler(event);
    return;
  }
}

/** Adds a shortcut; the result takes it away again. */
function bind(binding: Binding): () => void {
  if (bindings.length === 0) for (const capture of [true, false]) addEventListener("keydown", onKeyDown, capture);
  bindings.push(binding);
  return () => {
    bindings.splice(bindings.indexOf(binding), 1);
    if (bindings.length === 0) for (const capture of [true, false]) removeEventListener("keydown", onKeyDown, capture);
  };
}

/**
 * A shortcut for as long as the component is there. Keys without Ctrl or ⌘ rest while somebody types;
 * all rest while a dialog or menu is open, unless `always` is set. With `rests`, a chord rests while somebody types as well:
 * it means something else in a text. A key that is held acts once, unless it `repeats`. With `within`, a selector, it
 * counts only while the focus is in such a part of the page.
 */
export function useShortcut(
  keys: string,
  handler: Handler,
  options: { always?: boolean; enabled?: boolean; rests?: boolean; repeats?: boolean; within?: string | null } = {},
): void {
  const { always = false, enabled = true, rests = false, repeats = false, within = null } = options;
  const run = useEffectEvent(handler);
  useEffect(
    () => (enabled ? bind({ keys, handler: (event) => run(event), always, rests, repeats, within }) : undefined),
    [keys, always, enabled, rests, repeats, within],
  );
}
