// Where a task stands. A server may use words that no revision knows: they are shown as they are.
const statuses = ["working", "input_required", "completed", "failed", "cancelled"] as const;

export type TaskStatus = (typeof statuses)[number] | "other";

/** A status word among those we know. */
export function taskStatus(word: string): TaskStatus {
  return statuses.find((status) => status === word) ?? "other";
}

/** Whether the task waits for the person. */
export const isWaiting = (word: string): boolean => taskStatus(word) === "input_required";

/** Whether the task may still change; one of unknown status may. */
export function isUnderWay(word: string): boolean {
  const status = taskStatus(word);
  return status !== "completed" && status !== "failed" && status !== "cancelled";
}
