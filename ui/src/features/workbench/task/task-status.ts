// The states of tasks. Unknown states of a server are shown unchanged.
const statuses = ["working", "input_required", "completed", "failed", "cancelled"] as const;

export type TaskStatus = (typeof statuses)[number] | "other";

/** The known status of a word. */
export function taskStatus(word: string): TaskStatus {
  return statuses.find((status) => status === word) ?? "other";
}

/** Whether the task waits for the person. */
export const isWaiting = (word: string): boolean => taskStatus(word) === "input_required";

/** Whether the task may still change. An unknown status may. */
export function isUnderWay(word: string): boolean {
  const status = taskStatus(word);
  return status !== "completed" && status !== "failed" && status !== "cancelled";
}
