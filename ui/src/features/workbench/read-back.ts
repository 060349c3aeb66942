// Loads results from the log that were removed from the page to make room for newer ones.
import { skipToken, useQuery } from "@tanstack/react-query";
import type { Item } from "@/ipc/bindings/Item";
import type { LoggedCall } from "@/ipc/bindings/LoggedCall";
import type { LoggedCallPage } from "@/ipc/bindings/LoggedCallPage";
import { call } from "@/ipc/bridge";
import { PAST, unkept } from "@/ipc/queries";
import { isListed, SLACK_MS } from "./logged";
import type { Run } from "./runs";

/** The log's placeholder for a secret. */
const REDACTED = "[redacted]";

/** The log rows of a call of this window: the first of its kind after it started. */
async function rowsOf(run: Run, signal: AbortSignal): Promise<Pick<LoggedCall, "id" | "answer"> | null> {
  const item: Item = { serverId: run.server, ...(run.uri === null ? run.target : { kind: "resource", name: run.uri }) };
  let found: LoggedCall | null = null;
  let before: number | null = null;
  do {
    const { calls, next }: LoggedCallPage = await call("list_logged_calls", { item, before, limit: PAST });
    found = calls.findLast((logged) => isListed(logged, [run])) ?? found;
    before = (calls.at(-1)?.at ?? Number.POSITIVE_INFINITY) / 1_000 < run.startedAt - SLACK_MS ? null : next;
  } while (before !== null && !signal.aborted);
  return found;
}

/** The result of a call in the log. Null if there is none, or if it isn't the result but the start of a task. */
async function readBack(run: Run, signal: AbortSignal): Promise<string | null> {
  const rows = run.logged?.rows ?? (await rowsOf(run, signal));
  if (rows === null) return null;
  const result = (await call("get_logged_call", rows))?.result ?? null;
  const whole = run.logged !== undefined || result?.includes(REDACTED) || new Blob([result ?? ""]).size === run.outcome?.bytes;
  return whole ? result : null;
}

/** The result of a call that the page has removed. Not cached after it was shown. */
export function useReadBack(run: Run | undefined) {
  return useQuery({
    queryKey: ["read_back", run?.id],
    queryFn: run?.forgotten === true ? ({ signal }) => readBack(run, signal) : skipToken,
    ...unkept,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Whether secrets are redacted in the result, because it comes from the log. */
export const hasRedacted = (run: Run): boolean => run.forgotten && run.outcome?.result?.includes(REDACTED) === true;

/** A call with its result, as soon as it is loaded. */
export function useWithResult(run: Run | undefined): Run | undefined {
  const { data } = useReadBack(run);
  return run?.outcome == null || data == null ? run : { ...run, outcome: { ...run.outcome, result: data } };
}
