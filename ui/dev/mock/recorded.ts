// The real host's answers, recorded by a test (src-tauri/tests/it/recordings.rs), with the types of the bindings.
// `servers/` has the answers of the scripted servers to the host.
import type { CallEvent } from "@/ipc/bindings/CallEvent";
import type { CallOutcome } from "@/ipc/bindings/CallOutcome";
import type { Failure } from "@/ipc/bindings/Failure";
import type { FailureCode } from "@/ipc/bindings/FailureCode";
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import type { PromptList } from "@/ipc/bindings/PromptList";
import type { ResourceList } from "@/ipc/bindings/ResourceList";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { ToolList } from "@/ipc/bindings/ToolList";
import type { TrustView } from "@/ipc/bindings/TrustView";
import demoJson from "./recordings/demo.json";
import failedCallsJson from "./recordings/failed-calls.json";
import failuresJson from "./recordings/failures.json";
import harbourJson from "./recordings/harbour.json";
import postgresJson from "./recordings/postgres.json";
import questionsJson from "./recordings/questions.json";

/** A type as inferred for a JSON file, which doesn't know the exact texts, arrays and maps. */
type Json<T> = T extends string
  ? string
  : T extends readonly (infer E)[]
    ? readonly Json<E>[]
    : T extends object
      ? string extends keyof T
        ? { readonly [key: string]: Json<T[keyof T]> | undefined }
        : { readonly [K in keyof T]: Json<T[K]> }
      : T;

const typed = <T>(recording: Json<T>): T => recording as unknown as T;

export interface RecordedCall {
  readonly tool: string;
  readonly arguments: string;
  readonly events: CallEvent[];
  readonly outcome: CallOutcome;
}

/** A ready server, its offers, and the results of using them. */
export interface RecordedServer {
  readonly server: ServerView;
  readonly tools: ToolList;
  readonly resources: ResourceList;
  readonly prompts: PromptList;
  readonly trust: TrustView;
  readonly calls: RecordedCall[];
  readonly reads: { readonly uri: string; readonly outcome: CallOutcome }[];
  readonly gets: { readonly prompt: string; readonly arguments: string; readonly outcome: CallOutcome }[];
}

/** `mooring-demo-server`; `modern` is the same server in the stateless era. */
export const demo = typed<RecordedServer & { readonly modern: ServerView }>(demoJson);
/** What the demo server doesn't have: odd content, every schema, tasks, skills. */
export const harbour = typed<RecordedServer>(harbourJson);
export const postgres = typed<RecordedServer>(postgresJson);
export const failedCalls = typed<RecordedCall[]>(failedCallsJson);
/** Why servers did not start. */
export const failures = typed<Pick<Record<FailureCode, Failure>, keyof typeof failuresJson>>(failuresJson);

/** Servers' questions in the Inbox. */
export const questions = typed<Record<keyof typeof questionsJson, InteractionView>>(questionsJson);

/** The content of such a question. */
export function question<K extends InteractionQuestion["kind"]>(
  name: keyof typeof questionsJson,
  kind: K,
): Extract<InteractionQuestion, { kind: K }> {
  const { question: found } = questions[name];
  if (found.kind !== kind) throw new Error(`asks something else: ${name}`);
  return found as Extract<InteractionQuestion, { kind: K }>;
}
