import { logRow } from "@dev/log-row";
import { describe, expect, it } from "vitest";
import type { LogRow } from "@/ipc/bindings/LogRow";
import { errorCode, glance, isAnswer, isRequest, markOf, partnerOf } from "./describe";

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

  it("shows the arguments of a call, not its envelope", () => {
    const preview =
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"a":"}"},"_meta":{"progressToken":1}}}';
    expect(glance(frame({ preview }))).toBe('{"a":"}"}');
  });

  it("shows metadata behind what else there is", () => {
    const of = (params: string) => glance(frame({ preview: `{"jsonrpc":"2.0","id":7,"method":"resources/read","params":${params}` }));
    expect(of('{"_meta":{"a":{"b":","}},"uri":"demo://guide"}}')).toBe('{"uri":"demo://guide","_meta":{"a":{"b":","}}}');
    expect(of('{"_meta":{"a":1},"uri":"demo://gui')).toBe('{"uri":"demo://gui');
    expect([of('{"_meta":{"a":1}}}'), of('{"_meta":{"a":')]).toEqual(["", ""]);
  });

  it("shows what is there of a value that the preview cuts off", () => {
    expect(glance(frame({ preview: '{"jsonrpc":"2.0","params":{"level":"info","data":"lo' }))).toBe('{"level":"info","data":"lo');
  });

  it("shows what was searched for where it stands far behind", () => {
    const row = frame({ preview: `{"params":{"arguments":{"a":"${"x".repeat(150)}","b":"Needle"}}}` });
    expect(glance(row, 60)).not.toMatch(/needle/i);
    expect(glance(row, 60, "needle")).toMatch(/^….*"Needle"\}$/);
    expect(glance(frame({ kind: "stderr", preview: `${"x".repeat(100)} needle` }), 60, "NEEDLE")).toMatch(/^….* needle$/);
    expect(glance(row, 60, "absent")).toBe(glance(row, 60));
  });

  it("shows an answer's content", () => {
    expect(
      glance(frame({ direction: "in", status: "ok", preview: '{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text"}]}}' })),
    ).toBe('[{"type":"text"}]');
    expect(glance(frame({ direction: "in", status: "ok", preview: '{"jsonrpc":"2.0","id":7,"result":{}}' }))).toBe("");
  });

  it("shows a stderr line and a broken frame as they are", () => {
    expect(glance(frame({ kind: "stderr", preview: '{"params":1}' }))).toBe('{"params":1}');
    expect(glance(frame({ method: null, rpcId: null, preview: "oops" }))).toBe("oops");
  });

  it("finds the code of an error", () => {
    expect(errorCode(frame({ status: "error", preview: '{"id":1,"error":{"code":-32602,"message":"x"}}' }))).toBe("-32602");
    expect(errorCode(frame({ status: "error", preview: '{"result":{"isError":true}}' }))).toBeNull();
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
