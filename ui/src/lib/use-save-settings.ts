import { useQueryClient } from "@tanstack/react-query";
import type { Settings } from "@/ipc/bindings/Settings";
import { settings } from "@/ipc/queries";
import { type Options, shownAtOnce, useCommand } from "./use-command";

/** Saves a part of the settings. It is in force at once and taken back if it could not be saved. */
export function useSaveSettings(options?: Options) {
  const client = useQueryClient();
  const { run, error, clear } = useCommand(options);
  const save = async (part: Partial<Settings>) => {
    const { queryKey } = settings();
    const before = client.getQueryData(queryKey);
    if (!before) return;
    const next = { ...before, ...part };
    return run(
      "set_settings",
      { settings: next },
      shownAtOnce(client, queryKey, () => next),
    );
  };
  return { save, error, clear };
}
