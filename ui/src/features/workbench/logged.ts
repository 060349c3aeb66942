// Past calls of an item: those of this window and those in the log, merged without duplicates.
import { type QueryClient, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import type { CallStatus } from "@/ipc/bindings/CallStatus";
import type { LoggedCall } from "@/ipc/bindings/LoggedCall";
import type { LoggedCallContent } from "@/ipc/bindings/LoggedCallContent";
import { loggedCallContent, loggedCalls } from "@/ipc/queries";
import { errorText } from "@/lib/error-text";
import { KeyedStore, useKeyed } from "@/lib/keyed-store";
import { toast } from "@/lib/toasts";
import { type Run, type RunOutcome, useRuns } from "./runs";
import { type Target, targetKey } from "./target";

export type Past = { readonly kind: "run"; readonly run: Run } | { readonly kind: "logged"; readonly call: LoggedCall };

/** The page's clock has whole milliseconds. */
export const SLACK_MS = 2;

const opened = new KeyedStore<Run>();

export const loggedRunId = (id: number): string => `log:${id}`;

/** The logged call that was last opened for an item. */
export function useOpenedLogged(server: number, target: Target): Run | undefined {
  return useKeyed(opened, targetKey(server, target));
}

/** Whether a logged call was made by this window and is still in its list. */
export function isListed({ at, caller }: LoggedCall, runs: readonly Run[]): boolean {
  if (caller !== null && caller !== "workbench") return false;
  const ms = at / 1_000;
  return runs.some(({ startedAt, endedAt }) => startedAt - SLACK_MS <= ms && ms <= (endedAt ?? Number.POSITIVE_INFINITY) + SLACK_MS);
}

/** Both lists as one, newest first. */
export function mergePast(runs: readonly Run[], logged: readonly LoggedCall[]): Past[] {
  const at = (past: Past) => (past.kind === "run" ? past.run.startedAt : past.call.at / 1_000);
  return [
    ...runs.map((run): Past => ({ kind: "run", run })),
    ...logged.filter((call) => !isListed(call, runs)).map((call): Past => ({ kind: "logged", call })),
  ].toSorted((left, right) => at(right) - at(left));
}

/** The loaded calls of an item. */
export function usePast(server: number, target: Target) {
  const runs = useRuns(server, target);
  const query = useInfiniteQuery(loggedCalls({ serverId: server, ...target }));
  return {
    past: mergePast(runs, query.data?.pages.flatMap((page) => page.calls) ?? []),
    /** Why the log could not be read. */
    error: query.error,
    loading: query.isLoading,
    more: query.hasNextPage ? () => void query.fetchNextPage() : null,
    loadingMore: query.isFetchingNextPage,
  };
}

function outcomeOf(call: LoggedCall, { error, said }: LoggedCallContent): RunOutcome | null {
  if (call.status === "unknown") return null;
  const status: CallStatus = call.status;
  const failed = { rpcCode: null, data: null, next: null, evidence: null };
  return {
    status,
    result: null,
    error:
      error !== null
        ? { ...failed, code: "rpc", message: error.message, said: null, rpcCode: error.code }
        : said === null
          ? null
          : { ...failed, code: status === "timed_out" ? "timeout" : "closed", message: said.text, said },
    diagnostics: [],
    elapsedMs: (call.durationUs ?? 0) / 1_000,
    bytes: call.size,
  };
}

/** A logged call in the form of a call of this window. Its result is loaded while it is shown. */
export function runOfLogged(
  server: { readonly id: number; readonly name: string },
  target: Target,
  call: LoggedCall,
  content: LoggedCallContent,
): Run {
  const outcome = outcomeOf(call, content);
  return {
    id: loggedRunId(call.id),
    server: server.id,
    serverName: server.name,
    target,
    args: content.arguments.text,
    uri: target.kind === "resource" ? target.name : null,
    startedAt: call.at / 1_000,
    endedAt: (call.at + (call.durationUs ?? 0)) / 1_000,
    state: "done",
    progress: null,
    log: [],
    logDropped: 0,
    outcome,
    forgotten: outcome !== null && content.result !== null,
    logged: { rows: { id: call.id, answer: call.answer }, status: call.status, caller: call.caller, withheld: content.arguments.withheld },
  };
}

async function read(client: QueryClient, server: { id: number; name: string }, target: Target, call: LoggedCall): Promise<Run | null> {
  const content = await client.fetchQuery(loggedCallContent(call.id, call.answer));
  return content === null ? null : runOfLogged(server, target, call, content);
}

/** Loads a logged call and passes it on. Shows a message if it no longer exists. */
export function useReadLogged(server: { id: number; name: string }, target: Target, gone: string) {
  const client = useQueryClient();
  return (call: LoggedCall, then: (run: Run) => void) => {
    read(client, server, target, call).then(
      (run) => (run === null ? toast({ text: gone, tone: "bad" }) : then(run)),
      (error: unknown) => toast({ text: errorText(error), tone: "bad" }),
    );
  };
}

/** Saves the opened call in memory. */
export function keepOpened(run: Run): void {
  opened.set(targetKey(run.server, run.target), run);
}

/** Removes all opened calls, for tests. */
export function forgetOpened(): void {
  opened.clear();
}
