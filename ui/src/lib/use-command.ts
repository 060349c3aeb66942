// Runs a command for the person: tracks whether it is busy, shows failures, and reloads what it changed.
import { type QueryClient, type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { Commands } from "@/ipc/bindings/commands";
import { call, IpcError } from "@/ipc/bridge";
import { changedBy, readAgain } from "@/ipc/cache";
import { errorText, wantsVault } from "./error-text";
import { showVault } from "./overlays";
import { endUndo, toast } from "./toasts";

type Name = keyof Commands;
type Args<K extends Name> = Commands[K]["args"];
type Ret<K extends Name> = Commands[K]["ret"];

export interface Options {
  /** The message for a failure, from the command and its sentence. "shown": the component shows `error`. */
  readonly failure?: "shown" | ((text: string, name: Name) => string);
  /** Whether to ask for the vault if the command needs it, and then run the command again. */
  readonly vault?: boolean;
}

/** Callbacks after a command, which run even if the component is unmounted. */
interface Then<K extends Name> {
  readonly done?: (answer: Ret<K>) => void;
  readonly failed?: (error: IpcError) => void;
}

/** Shows `next` immediately if `key` is visible, then the result, or the previous value if it failed. */
export function shownAtOnce<T>(client: QueryClient, key: QueryKey, next: (now: T) => T) {
  const before = client.getQueryData<T>(key);
  const show = (data: T | undefined) => {
    if (data !== undefined) client.setQueryData(key, data);
  };
  if (before !== undefined) show(next(before));
  return { done: show, failed: () => show(before) };
}

/** Resolves with the result once the changes are reloaded. Undefined if it failed or the component is gone. */
export type Run = <K extends Name>(name: K, args: Args<K>, then?: Then<K>) => Promise<Ret<K> | undefined>;

export function useCommand({ failure = (text) => text, vault = false }: Options = {}) {
  const client = useQueryClient();
  const [running, setRunning] = useState(0);
  const [error, setError] = useState<IpcError | null>(null);
  const here = useRef(false);
  useEffect(() => {
    here.current = true;
    return () => {
      here.current = false;
    };
  }, []);

  // An undo from a message may run after the component is unmounted.
  const ifMounted = (change: () => void) => {
    if (here.current) change();
  };

  const run: Run = async <K extends Name>(name: K, args: Args<K>, then: Then<K> = {}): Promise<Ret<K> | undefined> => {
    ifMounted(() => setRunning((count) => count + 1));
    ifMounted(() => setError(null));
    try {
      const answer = await call(name, args).catch((thrown: unknown) => IpcError.from(thrown));
      const changed = changedBy(name, args);
      if (!(answer instanceof IpcError)) {
        if (changed.length > 0) endUndo();
        then.done?.(answer);
        await readAgain(client, changed);
        return here.current ? answer : undefined;
      }
      ifMounted(() => setError(answer));
      then.failed?.(answer);
      const again =
        vault && wantsVault(answer)
          ? new Promise<Ret<K> | undefined>((resolve) => showVault(() => resolve(run(name, args, then))))
          : undefined;
      if (again === undefined && failure !== "shown") toast({ text: failure(errorText(answer), name), tone: "bad" });
      // It may have done a part.
      await readAgain(client, changed);
      return again;
    } finally {
      ifMounted(() => setRunning((count) => count - 1));
    }
  };
  return { busy: running > 0, error, run, clear: () => setError(null) };
}
