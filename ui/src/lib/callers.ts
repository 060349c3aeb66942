// Who calls tools, as rules and the log name them.
export const callers = ["workbench", "command_line", "sampling"] as const;

export type Caller = (typeof callers)[number];

/** The caller of this name; null for one that this page has no word for. */
export const callerOf = (name: string): Caller | null => callers.find((known) => known === name) ?? null;
