import { expect, it } from "vitest";
import type { TaskView } from "@/ipc/bindings/TaskView";
import type { Run } from "../runs";
import { runOf } from "./of-task";

const task = { tool: "draw_chart", status: "completed", createdAt: 10_000 } as TaskView;
const run = (id: string, part: Partial<Run>): Run =>
  ({ id, state: "done", startedAt: 9_900, endedAt: 20_000, forgotten: false, ...part }) as Run;

it("finds the call that a task came from by its time", () => {
  const runs = [run("later", { startedAt: 15_000 }), run("its", {}), run("earlier", { startedAt: 1_000 })];
  expect(runOf(task, runs)?.id).toBe("its");
});

it("finds no call that ended before, that goes on, or whose result is gone", () => {
  expect(runOf(task, [run("before", { endedAt: 9_950 })])).toBeUndefined();
  expect(runOf(task, [run("on", { state: "running" })])).toBeUndefined();
  expect(runOf(task, [run("gone", { forgotten: true })])).toBeUndefined();
  expect(runOf(task, [])).toBeUndefined();
});
