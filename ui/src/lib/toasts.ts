// Short messages after an action, with an undo where the action can be undone.
import { useSyncExternalStore } from "react";
import { useShortcut } from "./shortcuts";

/** So long a message stays: a word, and one that says what failed or leads somewhere. */
const SHORT_MS = 4_000;
const LONG_MS = 10_000;
/** So many come back after the one that is shown. */
const AT_MOST = 3;

interface Said {
  readonly text: string;
  readonly tone?: "plain" | "bad";
  readonly action?: { readonly label: string; readonly run: () => void };
  /** Undoes what the message says. It can be pressed until the person does something else, and a while longer. */
  readonly undo?: () => void;
}

export interface ToastMessage extends Said {
  readonly id: number;
  /** How long it stays, in ms. Null: nothing else was done yet. */
  readonly stays: number | null;
  /** When it goes, also where another one is shown in its place, by `performance.now`. */
  readonly until: number | null;
}

let shown: readonly ToastMessage[] = [];
let last = 0;
const listeners = new Set<() => void>();

function publish(next: readonly ToastMessage[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

/**
 * Shows a message in the place of the one before, and gives its number, to take it away by. What failed, leads somewhere or can be
 * undone comes back afterwards. Of too many the oldest goes, one that undoes something last.
 */
export function toast(message: Said): number {
  last += 1;
  const stays = message.undo ? null : message.action || message.tone === "bad" ? LONG_MS : SHORT_MS;
  const others = shown.filter((item) => item.stays !== SHORT_MS);
  if (others.length > AT_MOST)
    others.splice(
      Math.max(
        0,
        others.findIndex((item) => item.stays !== null),
      ),
      1,
    );
  publish([...others, lasting({ ...message, id: last }, stays)]);
  return last;
}

function lasting(message: Said & { readonly id: number }, stays: number | null): ToastMessage {
  return { ...message, stays, until: stays === null ? null : performance.now() + stays };
}

/** Takes a message away, and those behind it whose time has passed. */
export function dismissToast(id: number): void {
  const now = performance.now();
  publish(shown.filter((item) => item.id !== id && (item.until === null || item.until > now)));
}

/** What is left of a message's time, in ms. */
export const timeLeft = ({ until }: ToastMessage): number | null => (until === null ? null : Math.max(0, until - performance.now()));

/** The person did something else: what can still be undone can be so for a while. */
export function endUndo(): void {
  if (shown.some((item) => item.stays === null)) publish(shown.map((item) => (item.stays === null ? lasting(item, LONG_MS) : item)));
}

/** The messages, oldest first: the last one is shown. While one can be undone, a key undoes the newest, except where somebody types. */
export function useToasts(): readonly ToastMessage[] {
  const messages = useSyncExternalStore(
    (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    () => shown,
  );
  const newest = messages.findLast((item) => item.undo !== undefined);
  const undoNewest = () => {
    if (newest === undefined) return;
    dismissToast(newest.id);
    newest.undo?.();
  };
  useShortcut("mod+z", undoNewest, { enabled: newest !== undefined, rests: true });
  return messages;
}

/** For what floats: pressing a message, or Escape in one, closes nothing but the message. */
export function sparedByToasts(event: Event): void {
  if (event.target instanceof Element && event.target.closest("[data-toasts]")) event.preventDefault();
}
