// Reads resources when they are opened, and optionally when they change.
import { useEffect } from "react";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { SubscriptionView } from "@/ipc/bindings/SubscriptionView";
import { KeyedStore, useKeyed } from "@/lib/keyed-store";
import { hasRun, startRun, useRuns } from "../runs";
import { type Target, targetKey } from "../target";
import { isConnected } from "../tree/tree-rows";

/** The shortest time between two automatic reads (ms), however often changes are announced. */
export const PAUSE = 1_000;

const wanted = new KeyedStore<boolean>();

/** Whether the resource is read again when it changes, and a function to set that. */
export function useAutoRead(server: number, target: Target): [boolean, (on: boolean) => void] {
  const key = targetKey(server, target);
  return [useKeyed(wanted, key) ?? false, (on) => wanted.set(key, on)];
}

/** A larger resource is only read on request (bytes). */
const READ_AT_ONCE = 4 * 1024 * 1024;

/** Reads a resource when it is first opened in this window. */
export function useReadOnOpen(server: ServerView, target: Target, size: number | null): void {
  const { id, name } = server;
  const uri = target.name;
  const reads = isConnected(server.state) && (size ?? 0) <= READ_AT_ONCE;
  useEffect(() => {
    const resource = { kind: "resource", name: uri } as const;
    if (reads && !hasRun(id, resource)) startRun({ server: { id, name }, target: resource, args: "{}" });
  }, [reads, id, name, uri]);
}

/** Resets the state, for tests. */
export function forgetAutoRead(): void {
  wanted.clear();
}

/** Reads the resource again after an update that is newer than the last read. */
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
