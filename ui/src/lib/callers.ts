// Who calls tools, as rules and the log name them.
import type { Caller } from "@/ipc/bindings/Caller";

export const callers: readonly Caller[] = ["workbench", "command_line", "sampling"];

/** The caller of this name; null for one that this page has no word for. */
export const callerOf = (name: string): Caller | null => callers.find((known) => known === name) ?? null;
