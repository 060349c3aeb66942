// Results that were removed from the page: the log's version is shown, and what it lacks is explained.
import { reset } from "@dev/mock-bridge";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { LoggedCall } from "@/ipc/bindings/LoggedCall";
import { useWithResult } from "../read-back";
import type { Run } from "../runs";
import { ReadBackNotice } from "./read-back-notice";

const BEGAN = 1_000_000;
const WHOLE = '{"content":[{"type":"text","text":"Bäume"}]}';
const REDACTED = '{"content":[{"type":"text","text":"[redacted]"}]}';

/** A logged call whose request was sent `ms` after the shown call started. */
const logged = (id: number, ms: number, caller: string | null = "workbench"): LoggedCall => ({
  id,
  answer: id + 1,
  at: (BEGAN + ms) * 1_000,
  caller,
  status: "ok",
  durationUs: 1_000,
  size: 10,
  excerpt: "{}",
});

function Shown({ run }: { run: Run }) {
  const shown = useWithResult(run) ?? run;
  return (
    <>
      <ReadBackNotice run={shown} />
      <output aria-label="result">{shown.outcome?.result}</output>
    </>
  );
}

/** Shows a call that took a second, with these calls in the log. */
function show(past: readonly (readonly [LoggedCall, string | null])[], uri: string | null = null) {
  const host = reset("usual");
  const target = uri === null ? ({ kind: "tool", name: "trees" } as const) : ({ kind: "template", name: "file:{path}" } as const);
  const item = { serverId: 3, ...(uri === null ? target : { kind: "resource" as const, name: uri }) };
  host.saved.past = past.map(([call, result]) => ({
    item,
    call,
    content: { arguments: { text: "{}", withheld: [] }, result, error: null, said: null },
  }));
  const run: Run = {
    id: "run",
    server: 3,
    serverName: "postgres-prod",
    target,
    args: "{}",
    uri,
    startedAt: BEGAN,
    endedAt: BEGAN + 1_000,
    state: "done",
    progress: null,
    log: [],
    logDropped: 0,
    forgotten: true,
    outcome: { status: "ok", result: null, error: null, diagnostics: [], elapsedMs: 1_000, bytes: new TextEncoder().encode(WHOLE).length },
  };
  return {
    host,
    show: () =>
      render(
        <QueryClientProvider client={new QueryClient()}>
          <Shown run={run} />
        </QueryClientProvider>,
      ),
  };
}

it("shows the result of the first call that went out once it began", async () => {
  const newer = Array.from({ length: 120 }, (_, at) => [logged(900 - at, 60_000 - at), "{}"] as const);
  const others = [
    [logged(60, 700), "{}"],
    [logged(50, 400), WHOLE],
    [logged(45, 300, "gateway"), "{}"],
    [logged(40, -500), "{}"],
  ] as const;
  show([...newer, ...others]).show();
  expect(await screen.findByText(WHOLE)).toBeTruthy();
  expect(screen.queryByText(/newest results|secrets/)).toBeNull();
});

it("finds what was read through a template under its own URI", async () => {
  show([[logged(50, 1, null), WHOLE]], "file:a").show();
  expect(await screen.findByText(WHOLE)).toBeTruthy();
});

it.each([
  ["nothing of it", []],
  ["only calls of before and of others", [[logged(50, 300, "gateway"), WHOLE] as const, [logged(40, -500), WHOLE] as const]],
  ["the beginning of a task", [[logged(50, 0), '{"task":{"taskId":"1"}}'] as const]],
  ["no answer", [[logged(50, 0), null] as const]],
])("says that the result is missing when the log has %s", async (_, past) => {
  show(past).show();
  expect(await screen.findByText(/keeps only the newest results/)).toBeTruthy();
  expect(screen.getByLabelText("result").textContent).toBe("");
});

it("says that secrets are hidden in what the log has", async () => {
  show([[logged(50, 0), REDACTED]]).show();
  expect(await screen.findByText(/where secrets are hidden/)).toBeTruthy();
  expect(screen.getByLabelText("result").textContent).toBe(REDACTED);
});

it("says when the log can't be read, and reads it again", async () => {
  const scene = show([[logged(50, 0), WHOLE]]);
  vi.spyOn(scene.host, "list_logged_calls").mockRejectedValueOnce({ code: "store", message: "disk I/O error", details: null });
  scene.show();
  await userEvent.click(await screen.findByRole("button", { name: "Try again" }));
  expect(await screen.findByText(WHOLE)).toBeTruthy();
});
