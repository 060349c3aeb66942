import { logRow } from "@dev/log-row";
import { describe, expect, it } from "vitest";
import type { LogRow } from "@/ipc/bindings/LogRow";
import { cancelledOf, errorCode, excerpt, isAnswer, isRequest, markOf, partnerOf, previewOf } from "./describe";

const frame = (part: Partial<LogRow>) => logRow({ direction: "out", method: "tools/call", rpcId: "7", subject: "echo", size: 10, ...part });

describe("what a row says", () => {
  it("tells requests, answers and notifications apart", () => {
    expect([isRequest(frame({})), isAnswer(frame({}))]).toEqual([true, false]);
    const answer = frame({ direction: "in", status: "ok" });
    expect([isRequest(answer), isAnswer(answer)]).toEqual([false, true]);
    const notification = frame({ rpcId: null, method: "notifications/message" });
    expect([isRequest(notification), isAnswer(notification)]).toEqual([false, false]);
    expect(isAnswer(frame({ method: null }))).toBe(true);
  });

  it.each([
    [frame({}), "out", "info"],
    [frame({ direction: "in", status: "ok" }), "in", "ok"],
    [frame({ direction: "in", status: "error" }), "in", "bad"],
    [frame({ direction: "in", status: "timed_out" }), "in", "warn"],
    [frame({ direction: "in", method: "elicitation/create" }), "in", "wait"],
    [frame({ kind: "stderr", direction: "in" }), "stderr", "quiet"],
    [frame({ kind: "verdict", direction: "none", status: "ok" }), "allowed", "ok"],
    [frame({ kind: "verdict", direction: "none", status: "error" }), "denied", "bad"],
    [frame({ kind: "state", direction: "none", status: "error", subject: "failed" }), "trouble", "bad"],
    [frame({ kind: "state", direction: "none", status: "error", subject: "reconnecting" }), "trouble", "warn"],
    [frame({ kind: "state", direction: "none", status: "ok", subject: "ready" }), "state", "ok"],
    [frame({ kind: "gap", direction: "none" }), "gap", "warn"],
  ])("has an icon and a colour: %#", (row, glyph, tone) => {
    expect(markOf(row)).toEqual({ glyph, tone });
  });

  it("shows what was searched for where it stands far behind", () => {
    const text = `a: ${"x".repeat(150)}, b: Needle, c: 3`;
    expect(excerpt(text, 60, "")).not.toMatch(/needle/i);
    expect(excerpt(text, 60, "needle")).toMatch(/^….*, b: Needle, c: 3$/);
    expect(excerpt(text, 60, "absent")).toBe(excerpt(text, 60, ""));
  });

  it.each([
    ["tide", 60, "tide"],
    ["high water at six", 10, "high water…"],
    [`${"x".repeat(100)}needle${"y".repeat(100)}`, 40, `…${"x".repeat(6)}needle${"y".repeat(28)}…`],
  ])("says where a text goes on: %#", (text, room, shown) => {
    expect(excerpt(text, room, "needle")).toBe(shown);
  });

  it("says where a preview ends before its message", () => {
    const line = "x".repeat(240);
    const of = (preview: string, size: number) => previewOf(frame({ kind: "stderr", preview, size }));
    expect([of(line, 500), of(line, 240), of("short", 5)]).toEqual([`${line}…`, line, "short"]);
    // Multi-byte characters: the line is complete.
    expect(of("⚓".repeat(200), 600)).toBe("⚓".repeat(200));
    expect(of("😀".repeat(130), 520)).toBe("😀".repeat(130));
  });

  it("finds the code of an error", () => {
    expect(errorCode(frame({ status: "error", preview: '{"id":1,"error":{"code":-32602,"message":"x"}}' }))).toBe("-32602");
    expect(errorCode(frame({ status: "error", preview: '{"result":{"isError":true}}' }))).toBeNull();
  });
});

describe("a cancellation", () => {
  const request = frame({ id: 10, rpcId: '"a"' });
  const cancels = (requestId: string) =>
    frame({
      id: 20,
      rpcId: null,
      method: "notifications/cancelled",
      preview: `{"method":"notifications/cancelled","params":{"requestId":${requestId}}}`,
    });
  it("names the last request before it that has its id and goes its way", () => {
    const rows = [
      frame({ id: 2, rpcId: '"a"' }),
      request,
      frame({ id: 12, rpcId: '"a"', direction: "in" }),
      frame({ id: 30, rpcId: '"a"' }),
    ];
    expect(cancelledOf(cancels('"a"'), rows)?.id).toBe(10);
    expect(cancelledOf(cancels("7"), rows)).toBeNull();
    expect(cancelledOf(request, rows)).toBeNull();
  });
});

describe("a request and its answer", () => {
  const request = frame({ id: 10 });
  const answer = frame({ id: 14, direction: "in", status: "ok" });
  const others = [
    frame({ id: 2 }),
    frame({ id: 4, direction: "in", status: "ok" }),
    frame({ id: 11, direction: "in", status: "ok", connection: 2 }),
    frame({ id: 12, direction: "in", method: "sampling/createMessage" }),
    frame({ id: 13, status: "ok", method: "sampling/createMessage" }),
    frame({ id: 20 }),
    frame({ id: 21, direction: "in", status: "ok" }),
  ];
  const rows = [...others, request, answer].toSorted((a, b) => a.id - b.id);

  it("find each other by connection and id, also when ids are used again", () => {
    expect(partnerOf(request, rows)?.id).toBe(14);
    expect(partnerOf(answer, rows)?.id).toBe(10);
  });

  it("are told apart from a request of the server with the same id", () => {
    expect(partnerOf(frame({ id: 13, status: "ok", method: "sampling/createMessage" }), rows)?.id).toBe(12);
  });

  it("may be missing", () => {
    expect(partnerOf(frame({ id: 30 }), rows)).toBeNull();
    expect(partnerOf(frame({ id: 31, rpcId: null }), rows)).toBeNull();
  });
});
