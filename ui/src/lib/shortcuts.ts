// The window's keyboard shortcuts. One listener, and the newest registration of a shortcut wins.
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

/** The event as a shortcut: `mod+k`, `shift+?`, `j`. Null with the other of Ctrl and ⌘, which we don't use. */
function written(event: KeyboardEvent): string | null {
  if (isMac ? event.ctrlKey : event.metaKey) return null;
  const parts: string[] = [];
  if (isMac ? event.metaKey : event.ctrlKey) parts.push("mod");
  if (event.altKey) parts.push("alt");
  const key = event.key.toLowerCase();
  // Printable characters such as ? already include their shift.
  if (event.shiftKey && (event.key.length > 1 || /[a-z]/i.test(event.key))) parts.push("shift");
  parts.push(key === " " ? "space" : key);
  return parts.join("+");
}

/** Elements that Space presses. */
const PRESSED = "button,summary,[role=button],[role=tab],[role=checkbox],[role=switch]";

/** A closed list after a choice, in which letters don't choose any more. */
const SETTLED = "[role=combobox][data-settled]";

/** Whether the focused element uses these keys. With `rests`, a text field also uses chords. */
function taken(event: KeyboardEvent, keys: string, rests: boolean): boolean {
  const { target } = event;
  if (!(target instanceof HTMLElement)) return false;
  const chord = keys.startsWith("mod+");
  if (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return !chord || rests;
  // A closed list chooses by typed letters, and Backspace removes one.
  if (target.closest("[role=combobox]") && !target.closest(SETTLED)) return !chord && (event.key.length === 1 || event.key === "Backspace");
  return keys === "space" && target.closest(PRESSED) !== null;
}

/** Whether a shortcut precedes the focused element: check boxes block Enter, and lists open with it, also with Ctrl. */
function comesFirst(event: KeyboardEvent, keys: string): boolean {
  return keys.startsWith("mod+") || (event.target instanceof HTMLElement && event.target.closest(SETTLED) !== null);
}

/** Whether an overlay handles the keys: a dialog, a menu, a list box. */
export function overlayOpen(): boolean {
  return document.querySelector("[role=dialog][data-modal=true],[role=menu],[role=listbox][data-state=open]") !== null;
}

/** The shortcuts for the focused element: those of its part precede those of the whole page. */
function newestFirst({ target }: KeyboardEvent): Binding[] {
  const here = bindings
    .toReversed()
    .filter(({ within }) => within === null || (target instanceof Element && target.closest(within) !== null));
  return here.toSorted((one, other) => Number(one.within === null) - Number(other.within === null));
}

/** Called in the capture phase and in the bubble phase. */
function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || composing(event)) return;
  const keys = written(event);
  if (keys === null || comesFirst(event, keys) !== (event.eventPhase === Event.CAPTURING_PHASE)) return;
  for (const binding of newestFirst(event)) {
    if (binding.keys !== keys) continue;
    if (!binding.always && (overlayOpen() || taken(event, keys, binding.rests))) continue;
    event.preventDefault();
    event.stopPropagation();
    // A held key must not act on what appears next.
    if (binding.repeats || !event.repeat) binding.handler(event);
    return;
  }
}

/** Adds a shortcut. Returns a function that removes it. */
function bind(binding: Binding): () => void {
  if (bindings.length === 0) for (const capture of [true, false]) addEventListener("keydown", onKeyDown, capture);
  bindings.push(binding);
  return () => {
    bindings.splice(bindings.indexOf(binding), 1);
    if (bindings.length === 0) for (const capture of [true, false]) removeEventListener("keydown", onKeyDown, capture);
  };
}

/**
 * A shortcut while the component is mounted. Keys without Ctrl or ⌘ are off while typing. All are off while a dialog or
 * menu is open, unless `always` is set. With `rests`, chords are off while typing too, because they have a meaning in
 * text. A held key acts once, unless it `repeats`. With `within`, a selector, it only works while the focus is in a
 * matching part.
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
