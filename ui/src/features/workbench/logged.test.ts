import { expect, it } from "vitest";
import type { LoggedCall } from "@/ipc/bindings/LoggedCall";
import type { LoggedCallContent } from "@/ipc/bindings/LoggedCallContent";
import { mergePast, runOfLogged } from "./logged";
import type { Run } from "./runs";

const logged = (id: number, ms: number, caller: string | null = "workbench"): LoggedCall => ({
  id,
  answer: id + 1,
  at: ms * 1_000,
  caller,
  status: "ok",
  durationUs: 1_500,
  size: 10,
  excerpt: "{}",
});
const target = { kind: "tool", name: "echo" } as const;
const content = { arguments: { text: '{"a":1}', withheld: ["token"] }, result: "{}", error: null, said: null };
const run = (startedAt: number, endedAt?: number): Run => {
  const { endedAt: _, logged: __, ...rest } = runOfLogged({ id: 1, name: "demo" }, target, logged(0, startedAt), content);
  return {
    ...rest,
    id: `run${startedAt}`,
    state: endedAt === undefined ? "running" : "done",
    ...(endedAt === undefined ? {} : { endedAt }),
  };
};
const ids = (runs: Run[], calls: LoggedCall[]) =>
  mergePast(runs, calls).map((past) => (past.kind === "run" ? past.run.id : `log:${past.call.id}`));

it("has no call twice that this window made, also one that waited for an answer", () => {
  expect(ids([run(2_000), run(1_000, 1_500)], [logged(9, 60_000), logged(5, 1_499), logged(3, 500)])).toEqual([
    "run2000",
    "run1000",
    "log:3",
  ]);
});

it("has the calls of others made meanwhile, and those whose caller is unknown before", () => {
  expect(ids([run(1_000, 1_500)], [logged(7, 1_200, "command_line"), logged(5, 1_200, null), logged(3, 900, null)])).toEqual([
    "log:7",
    "run1000",
    "log:3",
  ]);
});

it("shows how a logged call ended as it stands in the log", () => {
  const of = (status: LoggedCall["status"], more: Partial<LoggedCallContent> = {}) =>
    runOfLogged({ id: 1, name: "demo" }, target, { ...logged(1, 5), status }, { ...content, ...more });
  expect(of("ok").outcome).toMatchObject({ status: "ok", result: null, error: null, elapsedMs: 1.5, bytes: 10 });
  expect(of("ok")).toMatchObject({
    args: '{"a":1}',
    forgotten: true,
    logged: { rows: { id: 1, answer: 2 }, caller: "workbench", withheld: ["token"] },
  });
  expect(of("rpc_error", { result: null, error: { code: -32_602, message: "no" } }).outcome?.error).toMatchObject({
    code: "rpc",
    rpcCode: -32_602,
    message: "no",
  });
  const said = { code: "it took too long", params: {}, text: "it took too long" };
  expect(of("timed_out", { result: null, said }).outcome?.error).toMatchObject({ code: "timeout", said });
  expect(of("unknown").outcome).toBeNull();
});
