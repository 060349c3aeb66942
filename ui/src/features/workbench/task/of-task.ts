// What belongs to a task. It carries no trace of the call it came from but its tool and its time.
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import type { TaskView } from "@/ipc/bindings/TaskView";
import type { Run } from "../runs";

/** The clocks of a server and of this window may differ by so much. */
const SLACK_MS = 1_000;

/** What a task of this server asks: a question that is about its tool, and about no call that somebody waits for. */
export const questionOf = (server: number, task: TaskView, waiting: readonly InteractionView[]): InteractionView | undefined =>
  waiting.find(
    (view) =>
      view.server === server &&
      view.question.kind !== "tool" &&
      view.occasion.subject === task.tool &&
      (view.occasion.requests.length === 0 || view.askedAt >= task.createdAt - SLACK_MS),
  );

/** The call of this tool that ended as the task: the last that began before it, and has a result still. */
export function runOf(task: TaskView, runs: readonly Run[]): Run | undefined {
  const run = runs
    .filter((one) => one.startedAt - SLACK_MS <= task.createdAt)
    .toSorted((left, right) => right.startedAt - left.startedAt)[0];
  return run?.state === "done" && !run.forgotten && (run.endedAt ?? 0) >= task.createdAt ? run : undefined;
}
