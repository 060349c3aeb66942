// Who calls tools, as rules and the log name them.
import type { Caller } from "@/ipc/bindings/Caller";
import { visibleLine } from "./untrusted";

export const callers: readonly Caller[] = ["workbench", "command_line", "sampling"];

/** The caller of this name; null for one that this page has no word for. */
export const callerOf = (name: string | null): Caller | null => callers.find((known) => known === name) ?? null;

/** Who called, as the end of a sentence: `you (Workbench)`. */
export function callerName(name: string, t: (key: `common:caller.${Caller}`) => string): string {
  const known = callerOf(name);
  return known ? t(`common:caller.${known}`) : visibleLine(name);
}
