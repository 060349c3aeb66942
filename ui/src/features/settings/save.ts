import { useQueryClient } from "@tanstack/react-query";
import type { Settings } from "@/ipc/bindings/Settings";
import { call } from "@/ipc/bridge";
import { appInfo, settings } from "@/ipc/queries";

/** Saves a part of the settings. It is in force at once and taken back if it could not be saved. */
export function useSaveSettings(): (part: Partial<Settings>) => Promise<void> {
  const client = useQueryClient();
  return async (part) => {
    const key = settings().queryKey;
    const before = client.getQueryData(key);
    if (!before) return;
    const next = { ...before, ...part };
    client.setQueryData(key, next);
    try {
      client.setQueryData(key, await call("set_settings", { settings: next }));
      void client.invalidateQueries({ queryKey: appInfo().queryKey });
    } catch (error) {
      client.setQueryData(key, before);
      throw error;
    }
  };
}
