// Resources are read when they are opened, and again when they change where that is wanted.
import { useEffect } from "react";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { SubscriptionView } from "@/ipc/bindings/SubscriptionView";
import { KeyedStore, useKeyed } from "@/lib/keyed-store";
import { hasRun, startRun, useRuns } from "../runs";
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

/** A larger one is read on request (bytes). */
const READ_AT_ONCE = 4 * 1024 * 1024;

/** Reads a resource the first time it is opened in this window. */
export function useReadOnOpen(server: ServerView, target: Target, size: number | null): void {
  const { id, name } = server;
  const uri = target.name;
  const reads = isConnected(server.state) && (size ?? 0) <= READ_AT_ONCE;
  useEffect(() => {
    const resource = { kind: "resource", name: uri } as const;
    if (reads && !hasRun(id, resource)) startRun({ server: { id, name }, target: resource, args: "{}" });
  }, [reads, id, name, uri]);
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
