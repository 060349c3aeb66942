// Short messages after an action, with an undo where the action can be undone.
import { useSyncExternalStore } from "react";

export interface ToastMessage {
  readonly id: number;
  readonly text: string;
  readonly tone: "plain" | "bad";
  readonly action?: { readonly label: string; readonly run: () => void };
}

let shown: readonly ToastMessage[] = [];
let last = 0;
/** How many parts of the page have controls where messages appear. */
let lifts = 0;
const listeners = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

function publish(next: readonly ToastMessage[]): void {
  shown = next;
  tell();
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}

/** Shows a message; at most three at a time, the oldest goes first. Answers with its number, to take it away by. */
export function toast(message: { text: string; tone?: "plain" | "bad"; action?: ToastMessage["action"] }): number {
  last += 1;
  const { text, tone = "plain", action } = message;
  publish([...shown, { id: last, text, tone, ...(action ? { action } : {}) }].slice(-3));
  return last;
}

/** Takes a message away. */
export function dismissToast(id: number): void {
  publish(shown.filter((item) => item.id !== id));
}

/** The messages on screen, oldest first. */
export function useToasts(): readonly ToastMessage[] {
  return useSyncExternalStore(subscribe, () => shown);
}

/** Keeps messages clear of a row of controls at the bottom of the page, until the answer is called. */
export function liftToasts(): () => void {
  lifts += 1;
  tell();
  return () => {
    lifts -= 1;
    tell();
  };
}

/** Whether messages appear above a row of controls. */
export function useToastsLifted(): boolean {
  return useSyncExternalStore(subscribe, () => lifts > 0);
}
