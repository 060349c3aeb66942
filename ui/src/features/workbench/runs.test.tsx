import { reset } from "@dev/mock-bridge";
import { QueryClient } from "@tanstack/react-query";
import { renderHook, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { CallEvent } from "@/ipc/bindings/CallEvent";
import { LOG_LIMITS } from "./run-logs";
import { runOrFillIn } from "./begin";
import { cancelRun, forgetRuns, RUN_LIMITS, startRun, useRuns } from "./runs";

beforeEach(forgetRuns);

const server = { id: 3, name: "postgres-prod" };
const start = (tool: string) => startRun({ server, target: { kind: "tool", name: tool }, args: "{}" });
const runsOf = (tool: string) => renderHook(() => useRuns(server.id, { kind: "tool", name: tool })).result;

describe("what is asked for", () => {
  it("goes by the command for its kind, and readings of a template by the address it made", async () => {
    const host = reset("usual");
    const sent: unknown[] = [];
    const answer = { status: "ok" as const, result: "{}", error: null, diagnostics: [], elapsedMs: 1, bytes: 2 };
    vi.spyOn(host, "read_resource").mockImplementation(
      async ({ uri, template }: { uri: string; template: string | null }) => (sent.push([uri, template]), answer),
    );
    vi.spyOn(host, "get_prompt").mockImplementation(
      async ({ prompt, arguments: args }: { prompt: string; arguments: string }) => (sent.push([prompt, args]), answer),
    );
    startRun({ server, target: { kind: "resource", name: "a:b" }, args: "{}" });
    startRun({ server, target: { kind: "template", name: "a:{x}" }, args: '{"x":"c"}', uri: "a:c" });
    startRun({ server, target: { kind: "prompt", name: "p" }, args: '{"x":"c"}' });
    await waitFor(() =>
      expect(sent).toEqual([
        ["a:b", null],
        ["a:c", "a:{x}"],
        ["p", '{"x":"c"}'],
      ]),
    );
    const { result: again } = renderHook(() => useRuns(server.id, { kind: "template", name: "a:{x}" }));
    await waitFor(() => expect(again.current[0]?.state).toBe("done"));
    if (again.current[0]) await runOrFillIn(new QueryClient(), { ...again.current[0], server }, []);
    await waitFor(() => expect(sent.at(-1)).toEqual(["a:c", "a:{x}"]));
  });
});

describe("calls outside the screen", () => {
  it("coalesce what the server says while they run, and lose no end", async () => {
    const host = reset("usual");
    vi.spyOn(host, "call_tool").mockImplementation(async (_args: unknown, on: (event: CallEvent) => void) => {
      for (let step = 0; step <= 5_000; step += 1) on({ kind: "progress", progress: step, total: 5_000, message: null });
      for (let line = 0; line < LOG_LIMITS.lines + 7; line += 1) on({ kind: "log", level: "info", logger: null, data: `${line}` });
      return { status: "ok", result: '{"content":[]}', error: null, diagnostics: [], elapsedMs: 1, bytes: 14 };
    });
    const runs = runsOf("burst");
    start("burst");
    await waitFor(() => expect(runs.current[0]?.state).toBe("done"));
    expect(runs.current[0]).toMatchObject({ progress: { progress: 5_000, total: 5_000 }, logDropped: 7 });
    expect(runs.current[0]?.log.length).toBe(LOG_LIMITS.lines);
    expect(runs.current[0]?.log.at(-1)?.data).toBe(`${LOG_LIMITS.lines + 6}`);
  });

  it("end as failed when the host refuses them", async () => {
    const host = reset("usual");
    vi.spyOn(host, "call_tool").mockRejectedValue({
      code: "not_connected",
      message: "postgres-prod isn’t connected",
      details: { evidence: "no such file" },
    });
    const runs = runsOf("refused");
    start("refused");
    await waitFor(() => expect(runs.current[0]?.state).toBe("done"));
    expect(runs.current[0]?.outcome).toMatchObject({ status: "failed", error: { code: "not_connected", data: '"no such file"' } });
  });

  it("say that they are being cancelled until their end arrives", async () => {
    const host = reset("usual");
    let end: (() => void) | undefined;
    vi.spyOn(host, "call_tool").mockImplementation(
      () =>
        new Promise((done) => {
          end = () => done({ status: "cancelled", result: null, error: null, diagnostics: [], elapsedMs: 5, bytes: 0 });
        }),
    );
    vi.spyOn(host, "cancel_call").mockResolvedValue(true);
    const runs = runsOf("slow");
    const id = start("slow");
    cancelRun(id);
    await waitFor(() => expect(runs.current[0]?.state).toBe("cancelling"));
    end?.();
    await waitFor(() => expect(runs.current[0]?.outcome?.status).toBe("cancelled"));
  });

  it("are kept up to a number, newest first", async () => {
    const host = reset("usual");
    vi.spyOn(host, "call_tool").mockResolvedValue({ status: "ok", result: "{}", error: null, diagnostics: [], elapsedMs: 1, bytes: 2 });
    const runs = runsOf("many");
    const ids = Array.from({ length: RUN_LIMITS.perTarget + 5 }, () => start("many"));
    await waitFor(() => expect(runs.current.every((run) => run.state === "done")).toBe(true));
    expect(runs.current.map((run) => run.id)).toEqual(ids.toReversed().slice(0, RUN_LIMITS.perTarget));
  });

  it("let the oldest results go when all together are too large", async () => {
    const host = reset("usual");
    const large = `{"content":[],"x":"${"x".repeat(RUN_LIMITS.keptBytes / 2 - 100)}"}`;
    vi.spyOn(host, "call_tool").mockResolvedValue({
      status: "ok",
      result: large,
      error: null,
      diagnostics: [],
      elapsedMs: 1,
      bytes: large.length,
    });
    const runs = runsOf("large");
    for (let count = 1; count <= 3; count += 1) {
      start("large");
      await waitFor(() => expect(runs.current.filter((run) => run.state === "done").length).toBe(count));
      await new Promise((done) => {
        setTimeout(done, 3);
      });
    }
    expect(runs.current.map((run) => run.forgotten)).toEqual([false, false, true]);
    expect(runs.current[2]?.outcome).toMatchObject({ status: "ok", result: null });
  });
});
