import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Settings } from "@/ipc/bindings/Settings";
import { settings } from "@/ipc/queries";
import { type Options, shownAtOnce, useCommand } from "./use-command";

/** The same settings of another moment. */
const sameOf = (part: Partial<Settings>, all: Settings): Partial<Settings> =>
  Object.fromEntries(Object.keys(part).map((name) => [name, all[name as keyof Settings]]));

/** Saves a part of the settings. It is in force at once and taken back if it could not be saved. */
export function useSaveSettings(options?: Options) {
  const client = useQueryClient();
  const { run, error, clear } = useCommand(options);
  const [before, setBefore] = useState<Partial<Settings> | null>(null);
  const { queryKey } = settings();
  const put = async (part: Partial<Settings>, done?: (before: Partial<Settings>) => void) => {
    const now = client.getQueryData(queryKey);
    if (!now) return;
    const next = { ...now, ...part };
    const shown = shownAtOnce(client, queryKey, () => next);
    const saved = (answer: Settings) => {
      shown.done(answer);
      done?.(sameOf(part, now));
    };
    return run("set_settings", { settings: next }, { ...shown, done: saved });
  };
  /** `saved` is called also when the component has gone meanwhile, with what undoes it. */
  const save = (part: Partial<Settings>, saved?: (undo: () => void) => void) =>
    put(part, (earlier) => {
      setBefore(earlier);
      saved?.(() => void put(earlier));
    });
  /** Undoes what was saved last; null where nothing was. */
  const undo = before && (() => void put(before, () => setBefore(null)));
  return { save, undo, error, clear };
}

/** Saves settings where they stand: what was saved or failed is said there. */
export const useSetting = () => useSaveSettings({ failure: "shown" });
