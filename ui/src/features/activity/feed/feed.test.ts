import { everyRow, logRow } from "@dev/log-row";
import { describe, expect, it, vi } from "vitest";
import type { LogBatch } from "@/ipc/bindings/LogBatch";
import type { LogFilter } from "@/ipc/bindings/LogFilter";
import { CAPACITY, Feed, FOLLOWED, type FeedSource, PAGE } from "./feed";
import { isSkip } from "./timeline";

const row = (id: number) => logRow({ id, at: id * 1_000 });

/** A log with rows 1 to newest that pages like the real one and sends on demand. */
class Journal implements FeedSource {
  newest: number;
  acknowledged = 0;
  readonly stopped: string[] = [];
  failure: string | null = null;
  reads = 0;
  #send: ((batch: LogBatch) => void) | null = null;

  constructor(newest: number) {
    this.newest = newest;
  }

  follow(_filter: LogFilter, _followId: string, onBatch: (batch: LogBatch) => void): Promise<null> {
    this.#send = onBatch;
    return Promise.resolve(null);
  }

  acknowledge(): Promise<null> {
    this.acknowledged += 1;
    return Promise.resolve(null);
  }

  stop(followId: string): Promise<null> {
    this.stopped.push(followId);
    return Promise.resolve(null);
  }

  page(_filter: LogFilter, range: { before: number | null; after: number | null; limit: number }) {
    this.reads += 1;
    if (this.failure !== null) return Promise.reject(new Error(this.failure));
    const low = (range.after ?? 0) + 1;
    const high = Math.min(this.newest, (range.before ?? Infinity) - 1);
    const upward = range.after !== null && range.before === null;
    const from = upward ? low : Math.max(low, high - range.limit + 1);
    const to = upward ? Math.min(high, low + range.limit - 1) : high;
    const rows = [];
    for (let id = to; id >= from; id -= 1) rows.push(row(id));
    return Promise.resolve({ rows, more: upward ? to < high : from > low });
  }

  /** Commits `count` rows and sends only the newest `sent`. */
  grow(count: number, sent = count): void {
    const rows = [];
    for (let id = this.newest + count - sent + 1; id <= this.newest + count; id += 1) rows.push(row(id));
    this.newest += count;
    this.#send?.({ rows, skipped: count - sent });
  }
}

function setUp(newest: number) {
  const journal = new Journal(newest);
  const frames: (() => void)[] = [];
  const feed = new Feed(journal, (apply) => frames.push(apply));
  const frame = () => {
    for (const apply of frames.splice(0)) apply();
  };
  const ids = () => feed.getSnapshot().items.map((item) => (isSkip(item) ? "skip" : item.id));
  const settled = () => vi.waitFor(() => expect(feed.getSnapshot().loading).toBe(false));
  return { journal, feed, frame, frames, ids, settled };
}

/** Checks for 1, 2, 3 … without gaps or duplicates. */
function unbroken(ids: readonly (number | "skip")[], from: number, to: number): void {
  expect(ids).toEqual(Array.from({ length: to - from + 1 }, (_, index) => from + index));
}

describe("the live feed", () => {
  it("shows the newest page and goes on without a seam", async () => {
    const { feed, journal, frame, ids } = setUp(600);
    await feed.open(everyRow);
    unbroken(ids(), 351, 600);
    expect(feed.getSnapshot()).toMatchObject({ older: true, mode: "live" });
    journal.grow(3);
    frame();
    unbroken(ids(), 351, 603);
  });

  it("loses nothing that is committed between the subscription and the first page", async () => {
    const { feed, journal, frame, ids } = setUp(10);
    const page = journal.page.bind(journal);
    vi.spyOn(journal, "page").mockImplementationOnce((filter, range) => {
      journal.grow(2);
      const answer = page(filter, range);
      journal.grow(2);
      return answer;
    });
    const opened = feed.open(everyRow);
    await vi.waitFor(() => expect(journal.newest).toBe(14));
    frame();
    await opened;
    frame();
    unbroken(ids(), 1, 14);
  });

  it("applies all batches of a frame at once and acknowledges once, after applying", async () => {
    const { feed, journal, frame, frames, ids } = setUp(0);
    await feed.open(everyRow);
    let told = 0;
    feed.subscribe(() => {
      told += 1;
    });
    journal.grow(500);
    journal.grow(500);
    expect(frames).toHaveLength(1);
    expect([told, journal.acknowledged]).toEqual([0, 0]);
    frame();
    expect([told, journal.acknowledged, ids().length]).toEqual([1, 1, 1000]);
  });

  it("holds a bounded number of rows under a flood and can page back to what it dropped", async () => {
    const { feed, journal, frame, ids } = setUp(100);
    await feed.open(everyRow);
    for (let batch = 0; batch < 30; batch += 1) {
      journal.grow(500);
      frame();
    }
    expect(ids()).toHaveLength(FOLLOWED);
    expect(ids().at(-1)).toBe(15_100);
    expect(feed.getSnapshot().older).toBe(true);
    feed.leave();
    const oldest = 15_100 - FOLLOWED + 1;
    for (let pages = 1; pages <= CAPACITY / PAGE; pages += 1) {
      feed.see(0, 30);
      await vi.waitFor(() => expect(ids()[0]).toBe(oldest - pages * PAGE));
    }
    expect(ids()).toHaveLength(CAPACITY);
    unbroken(ids(), oldest - CAPACITY, oldest - 1);
  });

  it("reaches every row of a flood of which only the newest were sent", async () => {
    const { feed, journal, frame, ids } = setUp(100);
    await feed.open(everyRow);
    for (let batch = 0; batch < 5; batch += 1) {
      journal.grow(500, 120);
      frame();
    }
    expect(feed.getSnapshot().received).toBe(2_500);
    feed.leave();
    const seen = new Set(ids());
    for (let at = ids().length - 1; at > 0 || ids()[0] !== 1;) {
      at = Math.max(0, at - 20);
      if (ids()[at] === "skip") at += 1;
      const top = ids()[at] ?? 0;
      feed.see(at, at + 30);
      // The read happens in this turn of the event loop.
      await new Promise((done) => setTimeout(done));
      for (const id of ids()) seen.add(id);
      // Rows read above move the reader's row down, but the list keeps it visible.
      at = ids().indexOf(top);
    }
    seen.delete("skip");
    expect(seen.size).toBe(2_600);
  });

  it("freezes what is shown when the reader scrolls away, and counts what comes", async () => {
    const { feed, journal, frame, ids } = setUp(50);
    await feed.open(everyRow);
    feed.leave();
    const before = feed.getSnapshot().items;
    journal.grow(7);
    frame();
    journal.grow(100, 40);
    frame();
    expect(feed.getSnapshot().items).toBe(before);
    expect(feed.getSnapshot()).toMatchObject({ fresh: 107, mode: "away" });
    expect(journal.acknowledged).toBe(2);
    feed.resume();
    expect(feed.getSnapshot()).toMatchObject({ fresh: 0, mode: "live" });
    expect(ids()).toEqual([
      ...Array.from({ length: 57 }, (_, index) => index + 1),
      "skip",
      ...Array.from({ length: 40 }, (_, index) => index + 118),
    ]);
  });

  it("comes back to live by scrolling to the end, keeping the older rows that were read", async () => {
    const { feed, journal, frame, ids } = setUp(600);
    await feed.open(everyRow);
    feed.leave();
    feed.see(0, 30);
    await vi.waitFor(() => expect(ids()[0]).toBe(101));
    journal.grow(4);
    frame();
    feed.arrive();
    expect(feed.getSnapshot().mode).toBe("live");
    unbroken(ids(), 101, 604);
  });

  it("reads on by page when the feed has moved past the frozen view", async () => {
    const { feed, journal, frame, ids } = setUp(300);
    await feed.open(everyRow);
    feed.leave();
    for (let batch = 0; batch < 14; batch += 1) {
      journal.grow(500);
      frame();
    }
    feed.arrive();
    expect(feed.getSnapshot().mode).toBe("away");
    feed.see(220, 249);
    await vi.waitFor(() => expect(ids().at(-1)).toBe(550));
    unbroken(ids(), 51, 550);
    feed.resume();
    expect(ids().at(-1)).toBe(7_300);
  });

  it("stays paused through filters that follow each other at once", async () => {
    const { feed, journal, frame, ids } = setUp(10);
    await feed.open(everyRow);
    feed.pause();
    await Promise.all([feed.open({ ...everyRow, text: "a" }), feed.open({ ...everyRow, text: "b" })]);
    expect(feed.getSnapshot()).toMatchObject({ mode: "paused", loading: false });
    journal.grow(3);
    frame();
    unbroken(ids(), 1, 10);
    feed.resume();
    await feed.open(everyRow);
    expect(feed.getSnapshot().mode).toBe("live");
  });

  it("stays paused when the pause is asked for before the first page is there", async () => {
    const { feed, journal, frame, ids } = setUp(10);
    const opened = feed.open(everyRow);
    feed.pause();
    await opened;
    journal.grow(3);
    frame();
    unbroken(ids(), 1, 10);
    expect(feed.getSnapshot()).toMatchObject({ mode: "paused", fresh: 3 });
  });

  it("stays paused at the end of what was there, whatever comes", async () => {
    const { feed, journal, frame, ids } = setUp(20);
    await feed.open(everyRow);
    feed.pause();
    journal.grow(5);
    frame();
    feed.see(0, 19);
    feed.arrive();
    await Promise.resolve();
    unbroken(ids(), 1, 20);
    expect(feed.getSnapshot()).toMatchObject({ mode: "paused", fresh: 5 });
    feed.resume();
    unbroken(ids(), 1, 25);
  });

  it("fills a hole when the reader comes near it", async () => {
    const { feed, journal, frame, ids } = setUp(20);
    await feed.open(everyRow);
    journal.grow(200, 50);
    frame();
    expect(ids()).toContain("skip");
    feed.see(40, 70);
    expect(journal.reads).toBe(1);
    feed.leave();
    feed.see(10, 30);
    await vi.waitFor(() => expect(ids()).not.toContain("skip"));
    unbroken(ids(), 1, 220);
  });

  it("fills a hole that stays on screen once the flood is over", async () => {
    vi.useFakeTimers();
    const { feed, journal, frame, ids } = setUp(20);
    await feed.open(everyRow);
    journal.grow(60, 10);
    frame();
    feed.see(0, 30);
    await vi.advanceTimersByTimeAsync(1_000);
    unbroken(ids(), 1, 80);
    vi.useRealTimers();
  });

  it("opens at a row far in the past", async () => {
    const { feed, ids } = setUp(9_000);
    await feed.open(everyRow, 2_000);
    expect(feed.getSnapshot()).toMatchObject({ mode: "away", reveal: { id: 2_000 } });
    unbroken(ids(), 1_751, 2_250);
  });

  it("keeps the old rows on screen until the first page of another filter is there, and ends the old subscription", async () => {
    const { feed, journal, ids, settled } = setUp(30);
    await feed.open(everyRow);
    const opened = feed.open({ ...everyRow, source: "other" });
    expect(ids()).toHaveLength(30);
    expect(journal.stopped).toHaveLength(1);
    await opened;
    await settled();
  });

  it("says what failed and tries again when asked", async () => {
    const { feed, journal, ids } = setUp(600);
    journal.failure = "database is locked";
    await feed.open(everyRow);
    expect(feed.getSnapshot().problem).toEqual({ what: "open", message: "database is locked." });
    journal.failure = null;
    feed.retry();
    await vi.waitFor(() => unbroken(ids(), 351, 600));
    journal.failure = "disk I/O error";
    feed.leave();
    feed.see(0, 30);
    await vi.waitFor(() => expect(feed.getSnapshot().problem?.what).toBe("read"));
    const reads = journal.reads;
    feed.see(0, 31);
    expect(journal.reads).toBe(reads);
    journal.failure = null;
    feed.retry();
    await vi.waitFor(() => unbroken(ids(), 101, 600));
  });

  it("ignores what comes after it was closed", async () => {
    const { feed, journal, frame, ids } = setUp(5);
    await feed.open(everyRow);
    feed.close();
    journal.grow(5);
    frame();
    expect(ids()).toEqual([]);
    expect(journal.acknowledged).toBe(0);
  });
});
