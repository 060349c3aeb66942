// Who calls tools, as rules and the log name them.
import { visibleLine } from "./untrusted";

export const callers = ["workbench", "command_line", "sampling"] as const;
type KnownCaller = (typeof callers)[number];

/** What stands before an app's name in the log and in rules (`Caller::App`). */
const APP = "app:";

/** The caller of this name that is no app; null for one that this page has no word for. */
export const callerOf = (name: string | null): KnownCaller | null => callers.find((known) => known === name) ?? null;

/** The name of the app that calls; null where it is none. */
export const callingApp = (name: string | null): string | null => (name?.startsWith(APP) ? visibleLine(name.slice(APP.length)) : null);

/** Who called, as the end of a sentence: `you (Workbench)`. */
export function callerName(name: string, t: (key: `common:caller.${KnownCaller}`) => string): string {
  const known = callerOf(name);
  return known ? t(`common:caller.${known}`) : (callingApp(name) ?? visibleLine(name));
}
