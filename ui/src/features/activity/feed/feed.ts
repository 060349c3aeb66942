// The live feed of the Activity screen, outside of React: one subscription, the newest rows (`tail`) and the visible
// rows (`view`). While following they are the same list. Scrolling away or pausing freezes the view, and the tail
// continues without it. Batches are applied once per animation frame and then acknowledged, so a flood costs one render
// per frame and the sender waits for us.
import type { LogBatch } from "@/ipc/bindings/LogBatch";
import type { LogFilter } from "@/ipc/bindings/LogFilter";
import type { LogPage } from "@/ipc/bindings/LogPage";
import { errorText } from "@/lib/error-text";
import { filterOf } from "../search";
import { paced } from "./pace";
import { append, bound, continued, fill, firstId, type Item, isSkip, join, lastId, position, prepend, type Skip } from "./timeline";

export const CAPACITY = 5_000;
/** How many rows are in memory while following. Scrolling back reads older ones again. */
export const FOLLOWED = 1_000;
export const PAGE = 250;
/** How close to an edge or a gap, in rows, the reader must be before it is loaded. */
const NEAR = 40;
/** After this time without a batch (ms), a visible gap is filled even while following. */
const QUIET = 400;

export interface PageRange {
  readonly before: number | null;
  readonly after: number | null;
  readonly limit: number;
}

/** The host's commands for the feed. */
export interface FeedSource {
  follow(filter: LogFilter, followId: string, onBatch: (batch: LogBatch) => void): Promise<unknown>;
  acknowledge(followId: string): Promise<unknown>;
  stop(followId: string): Promise<unknown>;
  page(filter: LogFilter, range: PageRange): Promise<LogPage>;
}

/** `live` follows the newest row. `away` ends by scrolling back, `paused` only by resuming. */
export type FeedMode = "live" | "away" | "paused";

export interface FeedProblem {
  /** The failed step: starting, loading more, or staying live. */
  readonly what: "open" | "read" | "live";
  readonly message: string;
}

export interface FeedSnapshot {
  readonly items: readonly Item[];
  readonly mode: FeedMode;
  readonly loading: boolean;
  /** Rows that arrived after the view was frozen. */
  readonly fresh: number;
  /** All rows that arrived since the feed was opened. */
  readonly received: number;
  /** Whether the log has older rows. */
  readonly older: boolean;
  /** A row to scroll to. A new object for every request. */
  readonly reveal: { readonly id: number } | null;
  readonly problem: FeedProblem | null;
}

interface Window {
  items: readonly Item[];
  older: boolean;
}

const EMPTY: FeedSnapshot = { items: [], mode: "live", loading: true, fresh: 0, received: 0, older: false, reveal: null, problem: null };

let opened = 0;

export class Feed {
  readonly #source: FeedSource;
  readonly #schedule: (apply: () => void) => void;
  readonly #listeners = new Set<() => void>();
  #snapshot = EMPTY;
  #filter: LogFilter = filterOf({});
  #tail: Window = { items: [], older: false };
  #followId = "";
  #incoming: LogBatch[] = [];
  #scheduled = false;
  #reading = false;
  /** Whether the reader paused. It lasts through filter changes, until they resume. */
  #paused = false;
  /** The newest row that a paused reader sees. */
  #ceiling = Infinity;
  #sight: readonly [first: number, last: number] = [0, 0];
  #quiet: ReturnType<typeof setTimeout> | undefined;

  constructor(source: FeedSource, schedule: (apply: () => void) => void = paced()) {
    this.#source = source;
    this.#schedule = schedule;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getSnapshot = (): FeedSnapshot => this.#snapshot;

  get isOpen(): boolean {
    return this.#followId !== "";
  }

  /** Follows the log with `filter`. With `reveal`, starts at that row instead of the newest. */
  async open(filter: LogFilter, reveal: number | null = null): Promise<void> {
    this.#end();
    opened += 1;
    const followId = `activity-${Date.now().toString(36)}-${opened}`;
    this.#followId = followId;
    this.#filter = filter;
    this.#tail = { items: [], older: false };
    this.#reading = false;
    // The rows of the last filter stay visible until the first page of this one is loaded.
    this.#emit({ loading: true, fresh: 0, received: 0, problem: null, mode: "live", reveal: null });
    try {
      await this.#source.follow(filter, followId, (batch) => this.#receive(followId, batch));
      const page = await this.#source.page(filter, { before: null, after: null, limit: PAGE });
      if (followId !== this.#followId) return;
      this.#tail = { items: join(page.rows, this.#tail.items), older: page.more };
      this.#emit({ ...this.#tail, loading: false });
      if (this.#paused) this.#freeze();
      if (reveal !== null) await this.#readAround(reveal);
    } catch (error) {
      if (followId === this.#followId) this.#emit({ loading: false, items: [], problem: { what: "open", message: errorText(error) } });
    }
  }

  /** Ends the subscription. The feed can be opened again. */
  close(): void {
    this.#end();
    this.#paused = false;
    this.#snapshot = EMPTY;
  }

  /** Retries the failed step. */
  retry(): void {
    const what = this.#snapshot.problem?.what;
    if (what === "read") {
      this.#emit({ problem: null });
      this.#look();
    } else if (what) {
      void this.open(this.#filter);
    }
  }

  /** The reader scrolled away from the newest row. */
  leave(): void {
    if (this.#snapshot.mode === "live" && !this.#snapshot.loading) this.#emit({ mode: "away", fresh: 0 });
  }

  pause(): void {
    this.#paused = true;
    if (this.#snapshot.mode !== "paused") this.#freeze();
  }

  /** Lets a paused reader see the existing rows, and nothing newer. */
  #freeze(): void {
    this.#ceiling = this.#snapshot.mode === "live" ? lastId(this.#snapshot.items) : lastId(this.#tail.items);
    this.#emit({ mode: "paused", fresh: this.#snapshot.mode === "live" ? 0 : this.#snapshot.fresh });
  }

  /** Follows the newest row again. */
  resume(): void {
    this.#paused = false;
    if (this.#snapshot.mode === "live") return;
    this.#ceiling = Infinity;
    const joined = continued(this.#snapshot.items, this.#tail.items);
    if (joined) {
      const { items, head } = bound(joined, CAPACITY, joined.length - 1);
      this.#tail = { items, older: this.#snapshot.older || head > 0 };
    }
    this.#emit({ ...this.#tail, mode: "live", fresh: 0, reveal: null });
  }

  /** The reader scrolled to the last row of the view. It is the newest, unless later rows must still be loaded. */
  arrive(): void {
    if (this.#snapshot.mode === "away" && this.#continues()) this.resume();
  }

  /** Scrolls to a row, and loads the rows around it if needed. */
  async reveal(id: number): Promise<void> {
    try {
      await this.#readAround(id);
    } catch (error) {
      this.#emit({ problem: { what: "read", message: errorText(error) } });
    }
  }

  /** Updates the visible positions, and loads rows near them. */
  see(first: number, last: number): void {
    this.#sight = [first, last];
    this.#look();
  }

  #continues(): boolean {
    const { items } = this.#snapshot;
    return lastId(items) >= lastId(this.#tail.items) || continued(items, this.#tail.items) !== null;
  }

  #look(): void {
    const { items, mode, older, loading, problem } = this.#snapshot;
    if (loading || this.#reading || problem?.what === "read" || items.length === 0) return;
    const [first, last] = this.#sight;
    const hole = mode === "live" ? null : this.#holeNear(first, last);
    // The first visible row stays in place: a gap is filled away from it.
    if (hole) void this.#fill(hole, position(items, hole.after + 1) <= first ? "newer" : "older");
    else if (first < NEAR && older) void this.#readOlder();
    else if (last > items.length - NEAR && mode !== "live") this.#extend();
  }

  #holeNear(first: number, last: number): Skip | null {
    const { items } = this.#snapshot;
    for (let at = Math.max(0, first - NEAR); at <= Math.min(items.length - 1, last + NEAR); at += 1) {
      const item = items[at];
      if (item && isSkip(item)) return item;
    }
    return null;
  }

  /** Extends a frozen view towards the newest row: from the tail if they overlap, otherwise by loading. */
  #extend(): void {
    const { items, mode } = this.#snapshot;
    const end = lastId(items);
    if (end >= Math.min(this.#ceiling, lastId(this.#tail.items))) return;
    const joined = continued(items, this.#tail.items);
    if (!joined) void this.#readNewer();
    else if (mode === "paused") this.#show(joined.slice(0, position(joined, this.#ceiling + 1)), "newest");
  }

  async #readOlder(): Promise<void> {
    const before = firstId(this.#snapshot.items);
    const page = await this.#read({ before, after: null, limit: PAGE });
    if (page) this.#show(prepend(this.#snapshot.items, page.rows), "oldest", page.more);
  }

  async #readNewer(): Promise<void> {
    const after = lastId(this.#snapshot.items);
    const page = await this.#read({ before: null, after, limit: PAGE });
    if (!page) return;
    const rows = page.rows.filter((row) => row.id <= this.#ceiling);
    this.#show(append(this.#snapshot.items, { rows, skipped: 0 }), "newest");
  }

  async #fill(hole: Skip, from: "older" | "newer"): Promise<void> {
    const range = from === "newer" ? { before: hole.before, after: hole.after } : { before: null, after: hole.after };
    const page = await this.#read({ ...range, limit: PAGE });
    if (!page) return;
    const reached = hole.before !== null && page.rows.some((row) => row.id >= (hole.before ?? 0));
    const items = fill(this.#snapshot.items, hole, page.rows, page.more && !reached, from);
    this.#show(items, position(items, hole.after));
  }

  /** Loads one page at a time. Null if it failed or the filter has changed. */
  async #read(range: PageRange): Promise<LogPage | null> {
    const followId = this.#followId;
    this.#reading = true;
    try {
      const page = await this.#source.page(this.#filter, range);
      return followId === this.#followId ? page : null;
    } catch (error) {
      if (followId === this.#followId) this.#emit({ problem: { what: "read", message: errorText(error) } });
      return null;
    } finally {
      if (followId === this.#followId) this.#reading = false;
    }
  }

  /** Shows a longer view within limits. Drops rows far from the reader. */
  #show(longer: readonly Item[], keep: "oldest" | "newest" | number, older = this.#snapshot.older): void {
    const at = keep === "oldest" ? 0 : keep === "newest" ? longer.length - 1 : keep;
    const { items, head } = bound(longer, CAPACITY, at);
    const next = { items, older: older || head > 0 };
    if (this.#snapshot.mode === "live") this.#tail = next;
    this.#emit(next);
  }

  /** Freezes the view at a row, and loads the rows around it if needed. */
  async #readAround(id: number): Promise<void> {
    const followId = this.#followId;
    const { items, mode } = this.#snapshot;
    if (items[position(items, id)]?.id !== id) {
      const [upTo, after] = await Promise.all([
        this.#source.page(this.#filter, { before: id + 1, after: null, limit: PAGE }),
        this.#source.page(this.#filter, { before: null, after: id, limit: PAGE }),
      ]);
      if (followId !== this.#followId) return;
      this.#emit({ items: append(join(upTo.rows, []), { rows: after.rows, skipped: 0 }), older: upTo.more });
    }
    this.#emit({ mode: mode === "paused" ? "paused" : "away", reveal: { id } });
  }

  #receive(followId: string, batch: LogBatch): void {
    if (followId !== this.#followId) return;
    this.#incoming.push(batch);
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#schedule(() => this.#apply());
  }

  #apply(): void {
    this.#scheduled = false;
    const batches = this.#incoming;
    this.#incoming = [];
    if (batches.length === 0) return;
    let count = 0;
    let { items } = this.#tail;
    for (const batch of batches) {
      items = append(items, batch);
      count += batch.rows.length + batch.skipped;
    }
    const { mode, loading, fresh, received } = this.#snapshot;
    const bounded = bound(items, mode === "live" ? FOLLOWED : CAPACITY, items.length - 1);
    this.#tail = { items: bounded.items, older: this.#tail.older || bounded.head > 0 };
    if (loading) this.#emit({ received: received + count });
    else if (mode === "live") this.#emit({ ...this.#tail, received: received + count });
    else this.#emit({ fresh: fresh + count, received: received + count });
    const followId = this.#followId;
    this.#source.acknowledge(followId).catch((error: unknown) => {
      if (followId === this.#followId) this.#emit({ problem: { what: "live", message: errorText(error) } });
    });
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.#settle(), QUIET);
  }

  /** Fills the visible gaps after a flood. */
  #settle(): void {
    const { mode, loading } = this.#snapshot;
    const hole = mode === "live" && !loading && !this.#reading ? this.#holeNear(...this.#sight) : null;
    if (hole) void this.#fill(hole, "newer");
  }

  #end(): void {
    const followId = this.#followId;
    this.#followId = "";
    this.#incoming = [];
    this.#ceiling = Infinity;
    clearTimeout(this.#quiet);
    // If a subscription can't be stopped, it ends with its window.
    if (followId) this.#source.stop(followId).catch(() => undefined);
  }

  #emit(change: Partial<FeedSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    for (const listener of this.#listeners) listener();
  }
}
