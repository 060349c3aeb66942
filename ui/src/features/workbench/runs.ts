// Calls made from the Workbench. They live outside the screen: a call goes on while the person is elsewhere,
// and is found again. Results are kept for this window only, within bounds.
import { useSyncExternalStore } from "react";
import type { CallEvent } from "@/ipc/bindings/CallEvent";
import type { CallOutcome } from "@/ipc/bindings/CallOutcome";
import { call, IpcError, stream } from "@/ipc/bridge";
import { KeyedStore, toolKey, useKeyed } from "./keyed-store";
import { LOG_LIMITS, type LogLine, RunLogs, shortened, sizeOf } from "./run-logs";

export interface Progress {
  readonly progress: number;
  readonly total: number | null;
  readonly message: string | null;
}

export interface Run {
  /** The id the call goes by on its way to the host. */
  readonly id: string;
  readonly server: number;
  /** The server's name when the call was made. */
  readonly serverName: string;
  readonly tool: string;
  /** The arguments that were sent, as JSON text. */
  readonly args: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly state: "running" | "cancelling" | "done";
  readonly progress: Progress | null;
  readonly log: readonly LogLine[];
  /** Older log lines that made room for newer ones. */
  readonly logDropped: number;
  readonly outcome: CallOutcome | null;
  /** The result was let go to make room for newer ones. */
  readonly forgotten: boolean;
}

export const RUN_LIMITS = { perTool: 50, keptBytes: 96 * 1024 * 1024, flushMs: 50 } as const;

const byTool = new KeyedStore<readonly Run[]>();
const byId = new Map<string, Run>();
/** Changes that wait for the next flush: a server may report progress thousands of times a second. */
const waiting = new Map<string, Run>();
/** What servers log during the calls; it joins a call when that is shown. */
const logs = new Map<string, RunLogs>();
let timer: ReturnType<typeof setTimeout> | null = null;

function publish(run: Run): void {
  const key = toolKey(run.server, run.tool);
  const runs = byTool.get(key) ?? [];
  const index = runs.findIndex((other) => other.id === run.id);
  byId.set(run.id, run);
  if (index >= 0) byTool.set(key, runs.with(index, run));
  else {
    for (const old of runs.slice(RUN_LIMITS.perTool - 1)) {
      byId.delete(old.id);
      logs.delete(old.id);
    }
    byTool.set(key, [run, ...runs.slice(0, RUN_LIMITS.perTool - 1)]);
  }
}

function flush(): void {
  timer = null;
  const runs = [...waiting.values()];
  waiting.clear();
  for (const run of runs) if (byId.has(run.id)) publish(withLog(run));
}

function withLog(run: Run): Run {
  const log = logs.get(run.id);
  return log === undefined ? run : { ...run, log: log.kept(), logDropped: log.dropped };
}

function later(run: Run): void {
  waiting.set(run.id, run);
  timer ??= setTimeout(flush, RUN_LIMITS.flushMs);
}

function heard(id: string, event: CallEvent, since: number): void {
  const run = waiting.get(id) ?? byId.get(id);
  if (run === undefined) return;
  if (event.kind === "progress") {
    const { progress, total, message } = event;
    later({ ...run, progress: { progress, total, message: message === null ? null : shortened(message, LOG_LIMITS.message) } });
    return;
  }
  const log = logs.get(id) ?? new RunLogs();
  logs.set(id, log);
  log.add({ level: event.level, logger: event.logger, data: event.data, at: performance.now() - since });
  later(run);
}

function finished(id: string, outcome: CallOutcome): void {
  const run = waiting.get(id) ?? byId.get(id);
  waiting.delete(id);
  if (run === undefined) return;
  publish({ ...withLog(run), state: "done", outcome });
  makeRoom();
}

/** Lets go of the oldest results and their log lines when all of them together grow too large. */
function makeRoom(): void {
  const held = [...byId.values()]
    .filter((run) => run.outcome?.result != null || run.log.length > 0)
    .toSorted((left, right) => right.startedAt - left.startedAt);
  let kept = 0;
  held.forEach((run, index) => {
    kept += (run.outcome?.result?.length ?? 0) + run.log.reduce((sum, line) => sum + sizeOf(line), 0);
    // The newest stays whatever its size: it is what the person looks at.
    if (kept <= RUN_LIMITS.keptBytes || index === 0 || run.outcome === null) return;
    const forgotten = run.forgotten || run.outcome.result !== null;
    logs.delete(run.id);
    publish({ ...run, outcome: { ...run.outcome, result: null }, forgotten, log: [], logDropped: run.logDropped + run.log.length });
  });
}

/** Starts a call and gives its id. It ends by an answer, an error, a deadline, or `cancelRun`. */
export function startRun(request: { server: { id: number; name: string }; tool: string; args: string }): string {
  const id = crypto.randomUUID();
  const since = performance.now();
  publish({
    id,
    server: request.server.id,
    serverName: request.server.name,
    tool: request.tool,
    args: request.args,
    startedAt: Date.now(),
    state: "running",
    progress: null,
    log: [],
    logDropped: 0,
    outcome: null,
    forgotten: false,
  });
  const asked = stream("call_tool", { id: request.server.id, callId: id, tool: request.tool, arguments: request.args }, (event) => heard(id, event, since));
  asked.then(
    (outcome) => finished(id, outcome),
    (error: unknown) => {
      const { code, message, details } = IpcError.from(error);
      finished(id, {
        status: "failed",
        result: null,
        error: { code, message, rpcCode: null, data: details === null ? null : JSON.stringify(details) },
        diagnostics: [],
        elapsedMs: performance.now() - since,
        bytes: 0,
      });
    },
  );
  return id;
}

/** Asks for a call to be cancelled; its end arrives like any other. */
export function cancelRun(id: string): void {
  const run = waiting.get(id) ?? byId.get(id);
  if (run === undefined || run.state !== "running") return;
  const cancelling: Run = { ...withLog(run), state: "cancelling" };
  waiting.delete(id);
  publish(cancelling);
  call("cancel_call", { callId: id }).catch(() => {
    // The host does not know the call (any more): its outcome is on the way.
    const now = byId.get(id);
    if (now?.state === "cancelling") publish({ ...now, state: "running" });
  });
}

const none: readonly Run[] = [];

/** The calls of a tool in this window, newest first. */
export function useRuns(server: number, tool: string): readonly Run[] {
  return useKeyed(byTool, toolKey(server, tool)) ?? none;
}

/** The tools with a call under way, as one comparable text of keys. */
function runningNow(): string {
  const keys: string[] = [];
  for (const [key, runs] of byTool.entries()) if (runs.some((run) => run.state !== "done")) keys.push(key);
  return keys.join("\n");
}

/** The keys of the tools with a call under way. */
export function useRunning(): ReadonlySet<string> {
  const keys = useSyncExternalStore(byTool.subscribe, runningNow);
  return new Set(keys === "" ? [] : keys.split("\n"));
}

/** For tests: as if the window had just opened. */
export function forgetRuns(): void {
  byId.clear();
  logs.clear();
  waiting.clear();
  byTool.clear();
}
