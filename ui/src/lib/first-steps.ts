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

/** The demo server was added: the steps begin, unless they once did. */
export function beginFirstSteps(server: number): void {
  if (read() === null) write(String(server));
}

/** They are done, or not wanted. */
export function endFirstSteps(): void {
  write(OVER);
}

/** A step is done, and stays so after a restart. */
export function finishFirstStep(step: FirstStep): void {
  const under = underWay(read());
  if (under && !under.done.includes(step)) write([under.server, ...under.done, step].join(" "));
}

/** The steps that are under way: the demo server's id, and what is done of them. */
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
