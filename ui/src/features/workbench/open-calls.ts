// The calls that are open as tabs, in order. A call that was only viewed is replaced by the next one. A call that was
// edited or run stays.
import { KeyedStore, useKeyed } from "@/lib/keyed-store";
import { recall, remember } from "@/lib/remembered";
import { type Target, targetKey } from "./target";

export interface OpenCall {
  readonly server: number;
  readonly target: Target;
  /** Whether it stays when another call is opened. */
  readonly kept: boolean;
  /** Whether its arguments have changed since it was last run. */
  readonly edited: boolean;
}

const ALL = "all";
const REMEMBERED = "workbench.tabs";
const store = new KeyedStore<readonly OpenCall[]>();

export const keyOf = ({ server, target }: Pick<OpenCall, "server" | "target">): string => targetKey(server, target);

/** The calls that were open before the window was closed. */
function recalled(): readonly OpenCall[] {
  try {
    const list: unknown = JSON.parse(recall(REMEMBERED) ?? "[]");
    return (Array.isArray(list) ? list : []).flatMap((entry: unknown): OpenCall[] => {
      if (!Array.isArray(entry)) return [];
      const [server, kind, name] = entry as unknown[];
      if (typeof server !== "number" || (kind !== "tool" && kind !== "prompt") || typeof name !== "string") return [];
      return [{ server, target: { kind, name }, kept: true, edited: false }];
    });
  } catch {
    return []; // invalid JSON
  }
}

function all(): readonly OpenCall[] {
  const known = store.get(ALL);
  if (known !== undefined) return known;
  const list = recalled();
  if (list.length > 0) store.set(ALL, list);
  return list;
}

function put(next: readonly OpenCall[]): void {
  store.set(ALL, next);
  // A URI may contain a secret.
  const named = next.filter(({ kept, target }) => kept && (target.kind === "tool" || target.kind === "prompt"));
  remember(REMEMBERED, JSON.stringify(named.map(({ server, target }) => [server, target.kind, target.name])));
}

export function useOpenCalls(): readonly OpenCall[] {
  return useKeyed(store, ALL) ?? recalled();
}

/** Opens a call, if it isn't open. Replaces a call that was only viewed, or adds a tab. */
export function openCall(server: number, target: Target): void {
  const calls = all();
  const key = targetKey(server, target);
  if (calls.some((call) => keyOf(call) === key)) return;
  const fresh: OpenCall = { server, target, kept: false, edited: false };
  const preview = calls.findIndex((call) => !call.kept);
  put(preview < 0 ? [...calls, fresh] : calls.with(preview, fresh));
}

/** Keeps a call open, because it was edited or run, or on request. */
export function keepCall(server: number, target: Target, edited?: boolean): void {
  openCall(server, target);
  const key = targetKey(server, target);
  const calls = all();
  const at = calls.findIndex((call) => keyOf(call) === key);
  const call = calls[at];
  if (call === undefined) return;
  const next = { ...call, kept: true, edited: edited ?? call.edited };
  if (call.kept && call.edited === next.edited) return;
  put(calls.with(at, next));
}

/** Closes calls. Their arguments and results are still there when they are reopened. */
export function closeCalls(closes: (call: OpenCall) => boolean): void {
  put(all().filter((call) => !closes(call)));
}

/** Closes the calls of removed servers. */
export function keepCallsOf(servers: readonly { readonly id: number }[]): void {
  const isGone = ({ server }: OpenCall) => servers.every(({ id }) => id !== server);
  if (all().some(isGone)) closeCalls(isGone);
}

/** Closes all calls, for tests. */
export function forgetOpenCalls(): void {
  store.clear();
}
