// Matches tasks with questions and calls. A task only has its tool and its time in common with its call.
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import type { TaskView } from "@/ipc/bindings/TaskView";
import type { Run } from "../runs";

/** How much the clocks of a server and this window may differ. */
const SLACK_MS = 1_000;

/** The question of a server's task: one about its tool that belongs to no waiting call. */
export const questionOf = (server: number, task: TaskView, waiting: readonly InteractionView[]): InteractionView | undefined =>
  waiting.find(
    (view) =>
      view.server === server &&
      view.question.kind !== "tool" &&
      view.occasion.subject === task.tool &&
      (view.occasion.requests.length === 0 || view.askedAt >= task.createdAt - SLACK_MS),
  );

/** The call that became the task: the last of this tool that began before it and still has a result. */
export function runOf(task: TaskView, runs: readonly Run[]): Run | undefined {
  const run = runs
    .filter((one) => one.startedAt - SLACK_MS <= task.createdAt)
    .toSorted((left, right) => right.startedAt - left.startedAt)[0];
  return run?.state === "done" && !run.forgotten && (run.endedAt ?? 0) >= task.createdAt ? run : undefined;
}
