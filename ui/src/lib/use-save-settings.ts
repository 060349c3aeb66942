import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Settings } from "@/ipc/bindings/Settings";
import { settings } from "@/ipc/queries";
import { type Options, shownAtOnce, useCommand } from "./use-command";

/** The same settings at another time. */
const sameOf = (part: Partial<Settings>, all: Settings): Partial<Settings> =>
  Object.fromEntries(Object.keys(part).map((name) => [name, all[name as keyof Settings]]));

/** Saves a part of the settings. It takes effect immediately and is reverted if it fails. */
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
  /** `saved` is called with a function to undo it, even if the component is unmounted. */
  const save = (part: Partial<Settings>, saved?: (undo: () => void) => void) =>
    put(part, (earlier) => {
      setBefore(earlier);
      saved?.(() => void put(earlier));
    });
  /** Undoes the last change. Null if there was none. */
  const undo = before && (() => void put(before, () => setBefore(null)));
  return { save, undo, error, clear };
}

/** Saves a setting in place: its result is shown next to it. */
export const useSetting = () => useSaveSettings({ failure: "shown" });
