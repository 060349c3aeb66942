import { describe, expect, it } from "vitest";
import type { LogRow } from "@/ipc/bindings/LogRow";
import type { Item } from "../feed/timeline";
import { eventAt, fold, lineOf, unfolded } from "./fold";

const row = (id: number, more: Partial<LogRow> = {}): LogRow => ({
  id,
  at: id,
  serverId: 1,
  source: "demo",
  connection: 1,
  kind: "frame",
  direction: "out",
  method: "tools/call",
  rpcId: null,
  subject: "echo",
  status: "none",
  app: null,
  call: null,
  durationUs: null,
  size: 1,
  preview: "{}",
  ...more,
});
const asks = (id: number, rpcId: string, more: Partial<LogRow> = {}) => row(id, { rpcId, ...more });
const answers = (id: number, rpcId: string, more: Partial<LogRow> = {}) =>
  row(id, { rpcId, direction: "in", status: "ok", durationUs: 5, ...more });
const hole: Item = { kind: "skip", id: -5, after: 4, before: 9, count: 3 };
const ids = (items: readonly Item[]) => items.map(({ id }) => id);
const shut = new Set<number>();

describe("requests and their answers", () => {
  it("are one line, whatever comes between them", () => {
    const note = row(2, { method: "notifications/message", direction: "in" });
    const { items, answers: found, requests } = fold([asks(1, "7"), note, asks(3, "8"), answers(4, "7"), answers(5, "8")], shut);
    expect(ids(items)).toEqual([1, 2, 3]);
    expect([...found].map(([id, answer]) => [id, answer.id])).toEqual([
      [1, 4],
      [3, 5],
    ]);
    expect(requests.get(5)).toBe(3);
  });

  it("unfold, the answer right below its request", () => {
    const events = [asks(1, "7"), asks(3, "8"), answers(4, "7"), answers(5, "8")];
    expect(ids(fold(events, new Set([1])).items)).toEqual([1, 4, 3]);
    expect(ids(unfolded(events).items)).toEqual([1, 3, 4, 5]);
  });

  it("belong together only on one connection, in two directions, and of one method", () => {
    const others = [
      answers(2, "7", { connection: 2 }),
      answers(3, "7", { direction: "out" }),
      answers(4, "7", { method: "ping" }),
      answers(5, "9"),
    ];
    expect(ids(fold([asks(1, "7"), ...others], shut).items)).toEqual([1, 2, 3, 4, 5]);
  });

  it("answer the latest of the requests that had the same id", () => {
    const { items, answers: found } = fold([asks(1, "7"), asks(6, "7"), answers(8, "7"), answers(9, "7")], shut);
    expect(ids(items)).toEqual([1, 6, 9]);
    expect(found.get(6)?.id).toBe(8);
  });

  it("are found by line and by event", () => {
    const events = [asks(1, "7"), row(2), answers(3, "7"), hole, asks(9, "8"), answers(10, "8")];
    const lines = fold(events, new Set([1]));
    expect(ids(lines.items)).toEqual([1, 3, 2, -5, 9]);
    expect([1, 3, 2, 9, 10, 4, 7, 99].map((id) => lineOf(lines, id))).toEqual([0, 1, 2, 4, 4, 3, 4, 5]);
    expect([0, 1, 2, 3, 4, 5, -1].map((index) => eventAt(lines, index, events))).toEqual([0, 0, 1, 3, 5, 5, 0]);
  });
});
