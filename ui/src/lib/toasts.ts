// Short messages after an action, with an undo button if possible.
import { useSyncExternalStore } from "react";
import { useShortcut } from "./shortcuts";

/** How long a message stays: a short one, and one with a failure or a link. */
const SHORT_MS = 4_000;
const LONG_MS = 10_000;
/** How many messages come back after the current one. */
const AT_MOST = 3;

interface Said {
  readonly text: string;
  readonly tone?: "plain" | "bad";
  readonly action?: { readonly label: string; readonly run: () => void };
  /** Undoes the action. Available until the person does something else, and a while longer. */
  readonly undo?: () => void;
}

export interface ToastMessage extends Said {
  readonly id: number;
  /** How long it stays, in ms. Null until something else is done. */
  readonly stays: number | null;
  /** When it expires, even if another one is shown, by `performance.now`. */
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
 * Shows a message instead of the previous one, and returns its id. Failures, links and undo come back afterwards. If
 * there are too many, the oldest is removed, and those with undo last.
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

/** Removes a message, and expired ones behind it. */
export function dismissToast(id: number): void {
  const now = performance.now();
  publish(shown.filter((item) => item.id !== id && (item.until === null || item.until > now)));
}

/** The remaining time of a message, in ms. */
export const timeLeft = ({ until }: ToastMessage): number | null => (until === null ? null : Math.max(0, until - performance.now()));

/** Called when the person does something else: limits the remaining time of undo buttons. */
export function endUndo(): void {
  if (shown.some((item) => item.stays === null)) publish(shown.map((item) => (item.stays === null ? lasting(item, LONG_MS) : item)));
}

/** Undoes the newest action that can be undone. */
export function undoNewest(): void {
  const newest = shown.findLast((item) => item.undo !== undefined);
  if (newest === undefined) return;
  dismissToast(newest.id);
  newest.undo?.();
}

/** The messages, oldest first. The last one is shown. A key undoes the newest, except while typing. */
export function useToasts(): readonly ToastMessage[] {
  const messages = useSyncExternalStore(
    (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    () => shown,
  );
  const enabled = messages.some((item) => item.undo !== undefined);
  useShortcut("mod+z", undoNewest, { enabled, rests: true });
  return messages;
}

/** For overlays: pressing a message, or Escape in one, closes only the message. */
export function sparedByToasts(event: Event): void {
  if (event.target instanceof Element && event.target.closest("[data-toasts]")) event.preventDefault();
}
