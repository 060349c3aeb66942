// Calls from the Workbench: tools, resources and prompts. They live outside of the screen, so that they continue while
// the person is elsewhere. The newest results stay in the page, within limits. Older ones are loaded from the log.
import { useSyncExternalStore } from "react";
import type { CallEvent } from "@/ipc/bindings/CallEvent";
import type { CallError } from "@/ipc/bindings/CallError";
import type { CallOutcome } from "@/ipc/bindings/CallOutcome";
import type { LoggedCall } from "@/ipc/bindings/LoggedCall";
import type { SealedPlace } from "@/ipc/bindings/SealedPlace";
import type { LoggedCallStatus } from "@/ipc/bindings/LoggedCallStatus";
import { type Code, call, IpcError, stream } from "@/ipc/bridge";
import { KeyedStore, useKeyed } from "@/lib/keyed-store";
import { LOG_LIMITS, type LogLine, RunLogs, shortened, sizeOf } from "./run-logs";
import { type Target, targetKey } from "./target";
import { escapeArguments, unsealed } from "./variables/variables";

export interface Progress {
  readonly progress: number;
  readonly total: number | null;
  readonly message: string | null;
}

/** The outcome of a call. A call that was not sent fails like a command. */
export type RunOutcome = Omit<CallOutcome, "error"> & {
  readonly error: (Omit<CallError, "code"> & { readonly code: CallError["code"] | Code }) | null;
};

export interface Run {
  /** The id of the call for the host. */
  readonly id: string;
  readonly server: number;
  /** The server's name when the call was made. */
  readonly serverName: string;
  readonly target: Target;
  /** The sent arguments, or the values of a template, as JSON text. Secrets are replaced by their names. */
  readonly args: string;
  /** The arguments as written in the form, if they contain a secret. */
  readonly typed?: string;
  /** The URI to read, for resources and templates. */
  readonly uri: string | null;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly state: "running" | "cancelling" | "done";
  readonly progress: Progress | null;
  readonly log: readonly LogLine[];
  /** The number of older log lines that were removed. */
  readonly logDropped: number;
  readonly outcome: RunOutcome | null;
  /** Whether the result was removed. It is loaded from the log while shown. */
  readonly forgotten: boolean;
  /** When it ended, in Unix milliseconds. */
  readonly endedAt?: number;
  /** Set for an earlier or foreign call, which is shown from the log. */
  readonly logged?: Logged;
}

export interface Logged {
  readonly status: LoggedCallStatus;
  /** Its log rows. */
  readonly rows: Pick<LoggedCall, "id" | "answer">;
  /** The caller, if the log has it. */
  readonly caller: string | null;
  /** The paths of arguments that the log leaves out, because they are secret. */
  readonly withheld: readonly string[];
}

export const RUN_LIMITS = { perTarget: 50, keptBytes: 8 * 1024 * 1024, flushMs: 50 } as const;

const byTarget = new KeyedStore<readonly Run[]>();
const byId = new Map<string, Run>();
/** Changes that wait for the next flush, because a server may report progress thousands of times per second. */
const waiting = new Map<string, Run>();
/** The log messages during calls, which are only added to a call when it is shown. */
const logs = new Map<string, RunLogs>();
let timer: ReturnType<typeof setTimeout> | null = null;

function publish(run: Run): void {
  const key = targetKey(run.server, run.target);
  const runs = byTarget.get(key) ?? [];
  const index = runs.findIndex((other) => other.id === run.id);
  byId.set(run.id, run);
  if (index >= 0) byTarget.set(key, runs.with(index, run));
  else {
    for (const old of runs.slice(RUN_LIMITS.perTarget - 1)) {
      byId.delete(old.id);
      logs.delete(old.id);
    }
    byTarget.set(key, [run, ...runs.slice(0, RUN_LIMITS.perTarget - 1)]);
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

function finished(id: string, outcome: RunOutcome): void {
  const run = waiting.get(id) ?? byId.get(id);
  waiting.delete(id);
  if (run === undefined) return;
  publish({ ...withLog(run), state: "done", outcome, endedAt: Date.now() });
  makeRoom();
}

/** Removes the oldest results and log lines when their total is too large. */
function makeRoom(): void {
  const held = [...byId.values()]
    .filter((run) => run.outcome?.result != null || run.log.length > 0)
    .toSorted((left, right) => right.startedAt - left.startedAt);
  let kept = 0;
  held.forEach((run, index) => {
    kept += (run.outcome?.result?.length ?? 0) + run.log.reduce((sum, line) => sum + sizeOf(line), 0);
    // The newest stays whatever its size, because the person looks at it.
    if (kept <= RUN_LIMITS.keptBytes || index === 0 || run.outcome === null) return;
    const forgotten = run.forgotten || run.outcome.result !== null;
    logs.delete(run.id);
    publish({ ...run, outcome: { ...run.outcome, result: null }, forgotten, log: [], logDropped: run.logDropped + run.log.length });
  });
}

export interface RunRequest {
  readonly server: { readonly id: number; readonly name: string };
  readonly target: Target;
  readonly args: string;
  /** Where the host fills in secrets. */
  readonly sealed?: readonly SealedPlace[];
  /** What to read, for resources and templates. */
  readonly uri?: string | null;
}

function send(
  { server, target, args, sealed = [], uri }: RunRequest,
  callId: string,
  on: (event: CallEvent) => void,
): Promise<CallOutcome> {
  const { id } = server;
  switch (target.kind) {
    case "tool":
      return stream("call_tool", { id, callId, tool: target.name, arguments: args, sealed: [...sealed] }, on);
    case "prompt":
      return stream("get_prompt", { id, callId, prompt: target.name, arguments: args, sealed: [...sealed] }, on);
    case "resource":
    case "template":
      return stream(
        "read_resource",
        { id, callId, uri: uri ?? target.name, template: target.kind === "template" ? target.name : null },
        on,
      );
  }
}

/** Starts a call and returns its id. It ends with an answer, an error, a timeout, or `cancelRun`. */
export function startRun(request: RunRequest): string {
  const id = crypto.randomUUID();
  const since = performance.now();
  const { server, target, args, sealed = [] } = request;
  publish({
    id,
    server: server.id,
    serverName: server.name,
    target,
    args: unsealed(args, sealed),
    ...(sealed.length > 0 && { typed: unsealed(escapeArguments(args), sealed) }),
    uri: target.kind === "resource" ? target.name : (request.uri ?? null),
    startedAt: Date.now(),
    state: "running",
    progress: null,
    log: [],
    logDropped: 0,
    outcome: null,
    forgotten: false,
  });
  send(request, id, (event) => heard(id, event, since)).then(
    (outcome) => finished(id, outcome),
    (error: unknown) => {
      const { code, said, details } = IpcError.from(error);
      finished(id, {
        status: "failed",
        result: null,
        error: { code, message: said.text, said, rpcCode: null, data: evidenceOf(details), next: null, evidence: null },
        diagnostics: [],
        elapsedMs: performance.now() - since,
        bytes: 0,
      });
    },
  );
  return id;
}

/** Asks to cancel a call. Its end arrives as usual. */
export function cancelRun(id: string): void {
  const run = waiting.get(id) ?? byId.get(id);
  if (run === undefined || run.state !== "running") return;
  const cancelling: Run = { ...withLog(run), state: "cancelling" };
  waiting.delete(id);
  publish(cancelling);
  call("cancel_call", { callId: id }).catch(() => {
    // The host doesn't know the call (any more), so its outcome is on the way.
    const now = byId.get(id);
    if (now?.state === "cancelling") publish({ ...now, state: "running" });
  });
}

/** The call with this id, if this window still has it. */
export const runOf = (id: string): Run | undefined => byId.get(id);

/** Whether an item was called in this window. */
export const hasRun = (server: number, target: Target): boolean => byTarget.get(targetKey(server, target)) !== undefined;

const none: readonly Run[] = [];

/** The calls of an item in this window, newest first. */
export function useRuns(server: number, target: Target): readonly Run[] {
  return useKeyed(byTarget, targetKey(server, target)) ?? none;
}

/** The keys of the items with a running call, as one comparable text. */
function runningNow(): string {
  const keys: string[] = [];
  for (const [key, runs] of byTarget.entries()) if (runs.some((run) => run.state !== "done")) keys.push(key);
  return keys.join("\n");
}

/** The keys of the items with a running call. */
export function useRunning(): ReadonlySet<string> {
  const keys = useSyncExternalStore(byTarget.subscribe, runningNow);
  return new Set(keys === "" ? [] : keys.split("\n"));
}

/** Removes all calls, for tests. */
export function forgetRuns(): void {
  byId.clear();
  logs.clear();
  waiting.clear();
  byTarget.clear();
}

/** The evidence of a connection failure, as JSON text. */
function evidenceOf(details: unknown): string | null {
  if (typeof details !== "object" || details === null || !("evidence" in details)) return null;
  return typeof details.evidence === "string" ? JSON.stringify(details.evidence) : null;
}
