// Who calls tools, as rules and the log name them.
import type { Caller } from "@/ipc/bindings/Caller";
import { appNames } from "@/ipc/bindings/appNames";
import { visibleLine } from "./untrusted";

export const callers = ["workbench", "command_line", "sampling"] as const;
type KnownCaller = (typeof callers)[number];

/** What stands before an app's name in the log and in rules (`Caller::App`). */
const APP = "app:";

/** The caller of this name that is no app; null for one that this page has no word for. */
export const callerOf = (name: string | null): KnownCaller | null => callers.find((known) => known === name) ?? null;

/** The caller of this name, as a rule names it; null for what is none. */
export const ruleCaller = (name: unknown): Caller | null =>
  typeof name === "string" && (callerOf(name) !== null || name.startsWith(APP)) ? (name as Caller) : null;

/** What people call an app. */
export const appName = (id: string): string => visibleLine((Object.hasOwn(appNames, id) ? appNames[id] : undefined) ?? id);

/** The id of the app that calls; null where it is none. */
export const callingAppId = (name: string | null): string | null => (name?.startsWith(APP) ? name.slice(APP.length) : null);

/** The name of the app that calls; null where it is none. */
export function callingApp(name: string | null): string | null {
  const id = callingAppId(name);
  return id === null ? null : appName(id);
}

/** Who called, as the end of a sentence: `you (Workbench)`. A model is named by the server that uses it, where that is told. */
export function callerName(
  name: string,
  t: (key: `common:caller.${KnownCaller}` | "common:callerModel", names: { server: string }) => string,
  server?: string,
): string {
  const known = callerOf(name);
  if (known === null) return callingApp(name) ?? visibleLine(name);
  const names = { server: visibleLine(server ?? "") };
  return known === "sampling" && server !== undefined ? t("common:callerModel", names) : t(`common:caller.${known}`, names);
}
