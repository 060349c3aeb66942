import { logRow } from "@dev/log-row";
import { describe, expect, it } from "vitest";
import type { LogRow } from "@/ipc/bindings/LogRow";
import { append, bound, continued, fill, type Item, isSkip, join, position, prepend, type Skip } from "./timeline";

const row = (id: number) => logRow({ id, at: id * 1_000 });
const rows = (from: number, to: number): LogRow[] => Array.from({ length: to - from + 1 }, (_, index) => row(from + index));

/** Rows as ids, gaps as `~count(after,before)`. */
const shape = (items: readonly Item[] | null): string =>
  (items ?? []).map((item) => (isSkip(item) ? `~${item.count}(${item.after},${item.before ?? ""})` : String(item.id))).join(" ");
const hole = (items: readonly Item[]): Skip => {
  const found = items.find(isSkip);
  if (!found) throw new Error("no hole");
  return found;
};

describe("the window of events", () => {
  it("adds a batch and ignores what it already has", () => {
    expect(shape(append(rows(1, 3), { rows: rows(2, 5), skipped: 0 }))).toBe("1 2 3 4 5");
  });

  it("returns the same list when a batch brings nothing", () => {
    const items = rows(1, 3);
    expect(append(items, { rows: rows(1, 2), skipped: 0 })).toBe(items);
  });

  it("marks rows that were skipped, and knows both sides of the hole", () => {
    expect(shape(append(rows(1, 2), { rows: rows(8, 9), skipped: 5 }))).toBe("1 2 ~5(2,8) 8 9");
  });

  it("adds up holes that no row has come between", () => {
    const open = append(append(rows(1, 2), { rows: [], skipped: 3 }), { rows: [], skipped: 4 });
    expect(shape(open)).toBe("1 2 ~7(2,)");
    expect(shape(append(open, { rows: rows(10, 11), skipped: 0 }))).toBe("1 2 ~7(2,10) 10 11");
  });

  it("leaves no marker before the first row: older rows are read by page", () => {
    expect(shape(append([], { rows: rows(8, 9), skipped: 5 }))).toBe("8 9");
  });

  it("puts an older page in front, in whatever order it comes", () => {
    expect(shape(prepend(rows(5, 6), rows(2, 5).toReversed()))).toBe("2 3 4 5 6");
  });

  it("joins the first page with the feed without a seam, whichever reaches further", () => {
    const page = rows(1, 5).toReversed();
    expect(shape(join(page, rows(4, 7)))).toBe("1 2 3 4 5 6 7");
    expect(shape(join(page, rows(6, 7)))).toBe("1 2 3 4 5 6 7");
    expect(shape(join(rows(1, 9).toReversed(), rows(6, 7)))).toBe("1 2 3 4 5 6 7 8 9");
    expect(shape(join([], rows(6, 7)))).toBe("6 7");
  });

  it("closes a hole of the feed that the first page reaches over, and narrows one that it reaches into", () => {
    const live = append(rows(4, 5), { rows: rows(10, 11), skipped: 4 });
    expect(shape(join(rows(1, 12).toReversed(), live))).toBe("1 2 3 4 5 6 7 8 9 10 11 12");
    expect(shape(join(rows(1, 7).toReversed(), live))).toBe("1 2 3 4 5 6 7 ~2(7,10) 10 11");
  });

  it("fills a hole from the newer side and keeps what is still missing", () => {
    const items = append(rows(1, 2), { rows: rows(10, 11), skipped: 7 });
    expect(shape(fill(items, hole(items), rows(3, 9).toReversed(), false, "newer"))).toBe("1 2 3 4 5 6 7 8 9 10 11");
    expect(shape(fill(items, hole(items), rows(8, 9).toReversed(), true, "newer"))).toBe("1 2 ~5(2,8) 8 9 10 11");
  });

  it("fills a hole from the older side, ignoring rows beyond it", () => {
    const items = append(rows(1, 2), { rows: rows(10, 11), skipped: 7 });
    expect(shape(fill(items, hole(items), rows(3, 5).toReversed(), true, "older"))).toBe("1 2 3 4 5 ~4(5,10) 10 11");
    expect(shape(fill(items, hole(items), rows(3, 30).toReversed(), false, "older"))).toBe("1 2 3 4 5 6 7 8 9 10 11");
  });

  it("takes a marker away when nothing was found behind it", () => {
    const items = append(rows(1, 2), { rows: rows(10, 11), skipped: 7 });
    expect(shape(fill(items, hole(items), [], false, "newer"))).toBe("1 2 10 11");
  });

  it("continues a frozen view by a list that overlaps it, and refuses one that does not", () => {
    expect(shape(continued(rows(1, 5), rows(4, 8)))).toBe("1 2 3 4 5 6 7 8");
    expect(shape(continued(rows(1, 5), rows(5, 8)))).toBe("1 2 3 4 5 6 7 8");
    expect(continued(rows(1, 5), rows(6, 8))).toBeNull();
    expect(shape(continued(rows(1, 5), append(rows(4, 5), { rows: rows(9, 9), skipped: 3 })))).toBe("1 2 3 4 5 ~3(5,9) 9");
  });

  it("keeps at most so many rows, dropping what is far from the reader and no marker at an edge", () => {
    expect(shape(bound(rows(1, 10), 4, 9).items)).toBe("7 8 9 10");
    expect(shape(bound(rows(1, 10), 4, 0).items)).toBe("1 2 3 4");
    const items = append(rows(1, 3), { rows: rows(10, 12), skipped: 6 });
    expect(bound(items, 4, 6)).toMatchObject({ head: 4, tail: 0 });
    expect(shape(bound(items, 4, 6).items)).toBe("10 11 12");
    expect(shape(bound(items, 4, 0).items)).toBe("1 2 3");
  });

  it("finds a row by its id", () => {
    const items = append(rows(1, 3), { rows: rows(10, 12), skipped: 6 });
    expect([1, 3, 4, 10, 12, 13].map((id) => position(items, id))).toEqual([0, 2, 4, 4, 6, 7]);
  });
});
