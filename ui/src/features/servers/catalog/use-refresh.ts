// Brings the copy of the registry up to date, with its progress. It goes on while the screen is left.
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import type { CatalogProgress } from "@/ipc/bindings/CatalogProgress";
import { call, IpcError, stream } from "@/ipc/bridge";
import { changedBy, readAgain } from "@/ipc/cache";

interface Refresh {
  readonly callId: string | null;
  readonly progress: CatalogProgress | null;
  readonly error: IpcError | null;
}

const idle: Refresh = { callId: null, progress: null, error: null };
let now = idle;
const listeners = new Set<() => void>();

function show(next: Refresh): void {
  now = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

async function begin(client: QueryClient, opened: boolean): Promise<void> {
  if (now.callId !== null) return;
  const callId = crypto.randomUUID();
  const args = { opened, callId };
  show({ callId, progress: null, error: null });
  let error: IpcError | null = null;
  try {
    await stream("refresh_catalog", args, (progress) => {
      if (now.callId === callId) show({ ...now, progress });
    });
  } catch (thrown) {
    error = IpcError.from(thrown);
  }
  show({ ...idle, error });
  await readAgain(client, changedBy("refresh_catalog", args));
}

export function useRefresh() {
  const client = useQueryClient();
  const { callId, progress, error } = useSyncExternalStore(subscribe, () => now);
  return {
    running: callId !== null,
    progress,
    error,
    /** `opened`: only if the copy is old. */
    begin: (opened: boolean) => void begin(client, opened),
    cancel: () => {
      // It may have ended by itself.
      if (callId !== null) void call("cancel_call", { callId }).catch(() => false);
    },
  };
}
