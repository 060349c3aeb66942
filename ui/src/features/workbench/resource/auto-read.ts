// Which resources are read again when they change, kept while the window runs.
import { useEffect } from "react";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { SubscriptionView } from "@/ipc/bindings/SubscriptionView";
import { KeyedStore, useKeyed } from "@/lib/keyed-store";
import { startRun, useRuns } from "../runs";
import { type Target, targetKey } from "../target";
import { isConnected } from "../tree/tree-rows";

/** Between two readings of its own accord, however often the server announces changes. */
export const PAUSE = 1_000;

const wanted = new KeyedStore<boolean>();

/** Whether the resource is read again when it changes, and the way to change that. */
export function useAutoRead(server: number, target: Target): [boolean, (on: boolean) => void] {
  const key = targetKey(server, target);
  return [useKeyed(wanted, key) ?? false, (on) => wanted.set(key, on)];
}

/** For tests: as if the window had just opened. */
export function forgetAutoRead(): void {
  wanted.clear();
}

/** Reads the resource again after an update that came later than the last reading began. */
export function useReadOnUpdate(server: ServerView, target: Target, subscription: SubscriptionView | undefined): void {
  const [on] = useAutoRead(server.id, target);
  const [latest] = useRuns(server.id, target);
  const updated = subscription?.lastUpdate ?? null;
  const idle = latest === undefined || latest.state === "done";
  const readAt = latest?.startedAt ?? 0;
  const due = on && idle && isConnected(server.state) && updated !== null && updated > readAt;
  const { id, name } = server;
  const uri = target.name;
  useEffect(() => {
    if (!due) return;
    const timer = setTimeout(
      () => startRun({ server: { id, name }, target: { kind: "resource", name: uri }, args: "{}" }),
      Math.max(0, readAt + PAUSE - Date.now()),
    );
    return () => clearTimeout(timer);
  }, [due, readAt, id, name, uri]);
}
