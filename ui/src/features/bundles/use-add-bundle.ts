// Unpacks and saves a bundle, with its progress.
import { useQueryClient } from "@tanstack/react-query";
import { type RefObject, useEffect, useRef, useState } from "react";
import type { BundleAdded } from "@/ipc/bindings/BundleAdded";
import type { BundleProgress } from "@/ipc/bindings/BundleProgress";
import type { Commands } from "@/ipc/bindings/commands";
import { call, IpcError, stream } from "@/ipc/bridge";
import { changedBy, readAgain } from "@/ipc/cache";

type Wanted = Omit<Commands["add_bundle"]["args"], "callId">;

const cancelCall = ({ current: callId }: RefObject<string | null>) => {
  if (callId === null) return;
  // It may have ended meanwhile.
  void call("cancel_call", { callId }).catch(() => undefined);
};

export function useAddBundle() {
  const client = useQueryClient();
  const [progress, setProgress] = useState<BundleProgress | null>(null);
  const [running, setRunning] = useState(false);
  const [error, setError] = useState<IpcError | null>(null);
  const callId = useRef<string | null>(null);

  // Without the dialog, nothing shows what it does.
  useEffect(() => () => cancelCall(callId), []);

  /** Null if it was cancelled or failed. A second press while it runs does nothing. */
  const add = async (wanted: Wanted): Promise<BundleAdded | null> => {
    if (callId.current !== null) return null;
    callId.current = crypto.randomUUID();
    setRunning(true);
    setError(null);
    const args = { ...wanted, callId: callId.current };
    const added = await stream("add_bundle", args, setProgress).catch((thrown: unknown) => IpcError.from(thrown));
    await readAgain(client, changedBy("add_bundle", args));
    callId.current = null;
    setRunning(false);
    setProgress(null);
    if (added instanceof IpcError) {
      setError(added);
      return null;
    }
    return added;
  };
  return { add, cancel: () => cancelCall(callId), running, progress, error };
}
