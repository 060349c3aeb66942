// Keyboard shortcuts of the window. One listener; the newest registration of a shortcut wins.
import { useEffect, useEffectEvent } from "react";
import { isMac } from "./platform";

type Handler = (event: KeyboardEvent) => void;
interface Binding {
  keys: string;
  handler: Handler;
  always: boolean;
  rests: boolean;
  repeats: boolean;
}

const bindings: Binding[] = [];

/** The event written as a shortcut: `mod+k`, `shift+?`, `j`. */
function written(event: KeyboardEvent): string {
  const parts: string[] = [];
  if (isMac ? event.metaKey : event.ctrlKey) parts.push("mod");
  if (event.altKey) parts.push("alt");
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key.toLowerCase();
  // Printable marks such as ? already contain their shift.
  if (event.shiftKey && (event.key.length > 1 || /[a-z]/i.test(event.key))) parts.push("shift");
  parts.push(key === " " ? "space" : key);
  return parts.join("+");
}

function typing(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

/** Something floats above the page and owns the keys: a dialog, a menu, a list box. */
export function overlayOpen(): boolean {
  return document.querySelector("[role=dialog][data-modal=true],[role=menu],[role=listbox][data-state=open]") !== null;
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const keys = written(event);
  const chord = keys.startsWith("mod+");
  for (let index = bindings.length - 1; index >= 0; index -= 1) {
    const binding = bindings[index];
    if (!binding || binding.keys !== keys) continue;
    if (!binding.always && (overlayOpen() || (typing(event.target) && (!chord || binding.rests)))) continue;
    event.preventDefault();
    // A key that is held says nothing about what stands there the next moment.
    if (binding.repeats || !event.repeat) binding.handler(event);
    return;
  }
}

/** Adds a shortcut; the result takes it away again. */
function bind(binding: Binding): () => void {
  if (bindings.length === 0) addEventListener("keydown", onKeyDown);
  bindings.push(binding);
  return () => {
    bindings.splice(bindings.indexOf(binding), 1);
    if (bindings.length === 0) removeEventListener("keydown", onKeyDown);
  };
}

/**
 * A shortcut for as long as the component is there. Keys without Ctrl or ⌘ rest while somebody types;
 * all rest while a dialog or menu is open, unless `always` is set. With `rests`, a chord rests while somebody types as well:
 * it means something else in a text. A key that is held acts once, unless it `repeats`.
 */
export function useShortcut(
  keys: string,
  handler: Handler,
  options: { always?: boolean; enabled?: boolean; rests?: boolean; repeats?: boolean } = {},
): void {
  const { always = false, enabled = true, rests = false, repeats = false } = options;
  const run = useEffectEvent(handler);
  useEffect(() => (enabled ? bind({ keys, handler: (event) => run(event), always, rests, repeats }) : undefined), [keys, always, enabled, rests, repeats]);
}
