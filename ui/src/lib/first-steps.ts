// The first steps with the demo server: shown once after it is added, until they are done or skipped.
import { useSyncExternalStore } from "react";
import { recall, remember } from "./remembered";

export const FIRST_STEPS = ["run", "form", "see", "app"] as const;
export type FirstStep = (typeof FIRST_STEPS)[number];

const KEY = "firstSteps";
const OVER = "over";
const listeners = new Set<() => void>();
const read = () => recall(KEY);

function write(value: string) {
  remember(KEY, value);
  for (const listener of listeners) listener();
}

/** Starts the steps when the demo server was added, unless they were shown before. */
export function beginFirstSteps(server: number): void {
  if (read() === null) write(String(server));
}

/** Ends the steps, when they are done or skipped. */
export function endFirstSteps(): void {
  write(OVER);
}

/** Marks a step as done, also after a restart. */
export function finishFirstStep(step: FirstStep): void {
  const under = underWay(read());
  if (under && !under.done.includes(step)) write([under.server, ...under.done, step].join(" "));
}

/** The current steps: the demo server's id, and what is done. */
export function useFirstSteps() {
  return underWay(
    useSyncExternalStore((listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    }, read),
  );
}

function underWay(value: string | null) {
  if (value === null || value === OVER) return null;
  const [server, ...words] = value.split(" ");
  return { server: Number(server), done: FIRST_STEPS.filter((step) => words.includes(step)) };
}
