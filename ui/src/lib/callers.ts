// The callers of tools, as rules and the log name them.
import type { Caller } from "@/ipc/bindings/Caller";
import { appNames } from "@/ipc/bindings/appNames";
import { visibleLine } from "./untrusted";

export const callers = ["workbench", "command_line", "sampling"] as const;
type KnownCaller = (typeof callers)[number];

/** The prefix of an app's name in the log and in rules (`Caller::App`). */
const APP = "app:";

/** The caller with this name that isn't an app. Null if unknown. */
export const callerOf = (name: string | null): KnownCaller | null => callers.find((known) => known === name) ?? null;

/** The caller with this name, as a rule names it. Null if invalid. */
export const ruleCaller = (name: unknown): Caller | null =>
  typeof name === "string" && (callerOf(name) !== null || name.startsWith(APP)) ? (name as Caller) : null;

/** The display name of an app. */
export const appName = (id: string): string => visibleLine((Object.hasOwn(appNames, id) ? appNames[id] : undefined) ?? id);

/** The id of the calling app. Null if it isn't an app. */
export const callingAppId = (name: string | null): string | null => (name?.startsWith(APP) ? name.slice(APP.length) : null);

/** The name of the calling app. Null if it isn't an app. */
export function callingApp(name: string | null): string | null {
  const id = callingAppId(name);
  return id === null ? null : appName(id);
}

/** The caller, as the end of a sentence: `you (Workbench)`. A model is named by its server, if known. */
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
