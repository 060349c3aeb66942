// A scripted journal of a million rows for `npm run dev:mock` and tests: every row is computed from its id, so
// paging, filtering and a feed of ten thousand rows per second need no memory. `?feed=10000` sets the rate,
// `?log=empty|slow|failing` the other states.
import type { LogBatch } from "@/ipc/bindings/LogBatch";
import type { LogEntry } from "@/ipc/bindings/LogEntry";
import type { LogFilter } from "@/ipc/bindings/LogFilter";
import type { LogRow } from "@/ipc/bindings/LogRow";
import type { Handlers } from "./mock/handlers";
import { matches } from "./mock/log-filter";
import { type Scene, sources, story } from "./mock-story";

type LogHandlers = Pick<Handlers, "log_page" | "log_count" | "log_entry" | "log_facets" | "follow_log" | "ack_log" | "stop_follow">;

const PREVIEW = 240;
/** Rust sends at most this often (ms) and at most so many rows at once. */
const PULSE = 50;
const BATCH = 500;
/** How many rows a filter may look through for one page. */
const BUDGET = 200_000;

const offsets: number[] = [];
let round = 0;
for (const scene of story) {
  round += scene.wait;
  offsets.push(round);
}
round += 1_000;

const previews = new Map<Scene, { preview: string; size: number }>();

function bodyOf(scene: Scene, id: number): string {
  const number = scene.rpc ?? scene.names;
  return scene.body(number === null ? null : rpcOf(number, id));
}

const rpcOf = (rpc: number, id: number): string => String(Math.floor((id - 1) / story.length) * 16 + rpc);

export interface MockLogOptions {
  history: number;
  /** Rows per second of the live feed; 0 is silence. */
  rate: number;
  mode: string | null;
  now: number;
}

/** A journal with `history` rows in the past and a live feed at `rate`. */
export function mockJournal({ history, rate, mode, now }: MockLogOptions): LogHandlers {
  const rows = mode === "empty" ? 0 : history;
  const started = now;
  const follows = new Map<string, Follow>();

  const newest = (): number => (mode === "empty" ? 0 : rows + Math.floor(((Date.now() - started) * rate) / 1_000));

  const timeOf = (id: number): number => {
    if (id > rows) return started * 1_000 + Math.floor(((id - rows) * 1_000_000) / rate);
    const index = (id - 1) % story.length;
    const last = (rows - 1) % story.length;
    const rounds = Math.floor((rows - 1) / story.length) - Math.floor((id - 1) / story.length);
    return (started - rounds * round - (offsets[last] ?? 0) + (offsets[index] ?? 0)) * 1_000 + (id % 997);
  };

  const rowAt = (id: number): LogRow => {
    const scene = story[(id - 1) % story.length];
    if (!scene) throw new Error(`no scene for row: ${id}`);
    let glance = previews.get(scene);
    if (!glance) {
      const body = bodyOf(scene, id);
      glance = { preview: body.slice(0, PREVIEW), size: new TextEncoder().encode(body).length };
      previews.set(scene, glance);
    }
    return {
      id,
      app: null,
      call: null,
      at: timeOf(id),
      serverId: sources.indexOf(scene.source) + 1,
      source: scene.source,
      connection: sources.indexOf(scene.source) + 1,
      kind: scene.kind,
      direction: scene.direction,
      method: scene.method,
      rpcId: scene.rpc === null ? null : rpcOf(scene.rpc, id),
      subject: scene.subject,
      status: scene.status,
      durationUs: scene.durationUs,
      ...glance,
    };
  };

  class Follow {
    readonly filter: LogFilter;
    readonly send: (message: LogBatch) => void;
    sent = newest();
    credit = true;
    readonly timer: ReturnType<typeof setInterval>;

    constructor(filter: LogFilter, send: (message: LogBatch) => void) {
      this.filter = filter;
      this.send = send;
      this.timer = setInterval(() => this.pulse(), PULSE);
    }

    pulse(): void {
      if (!this.credit) return;
      const to = newest();
      const batch: LogRow[] = [];
      let skipped = 0;
      for (let id = to; id > this.sent; id -= 1) {
        const row = rowAt(id);
        if (!matches(row, row.preview, this.filter)) continue;
        if (batch.length < BATCH) batch.push(row);
        else skipped += 1;
      }
      this.sent = to;
      if (batch.length === 0) return;
      this.credit = false;
      this.send({ rows: batch.toReversed(), skipped });
    }
  }

  const late = async (): Promise<void> => {
    if (mode === "slow") await new Promise((resolve) => setTimeout(resolve, 1_500));
    if (mode === "failing")
      throw Object.assign(new Error("the journal can’t be read: disk I/O error"), { code: "internal", details: null });
  };

  return {
    async log_page({ filter, before, after, limit }) {
      await late();
      const low = (after ?? 0) + 1;
      const high = Math.min(newest(), (before ?? Number.POSITIVE_INFINITY) - 1);
      const upward = after !== null && before === null;
      const found: LogRow[] = [];
      let more = false;
      for (let step = 0; step < BUDGET; step += 1) {
        const id = upward ? low + step : high - step;
        if (id < low || id > high) break;
        const row = rowAt(id);
        if (!matches(row, row.preview, filter)) continue;
        if (found.length === limit) {
          more = true;
          break;
        }
        found.push(row);
      }
      return { rows: upward ? found.toReversed() : found, more };
    },
    async log_count({ filter }) {
      await late();
      let count = 0;
      for (let id = Math.max(1, newest() - BUDGET); id <= newest(); id += 1) {
        const row = rowAt(id);
        if (matches(row, row.preview, filter)) count += 1;
      }
      return count;
    },
    async log_entry({ id }): Promise<LogEntry | null> {
      await late();
      const scene = story[(id - 1) % story.length];
      return scene && id <= newest() && id > 0 ? { ...rowAt(id), body: bodyOf(scene, id) } : null;
    },
    log_facets() {
      const methods = [...new Set(story.flatMap((scene) => scene.method ?? []))].toSorted();
      return Promise.resolve(
        mode === "empty"
          ? { sources: [], apps: [], methods: [], total: 0 }
          : { sources: sources.toSorted(), apps: [], methods, total: newest() },
      );
    },
    follow_log({ filter, followId }, onMessage) {
      if (onMessage) follows.set(followId, new Follow(filter, onMessage));
      return Promise.resolve(null);
    },
    ack_log({ followId }) {
      const follow = follows.get(followId);
      if (follow) follow.credit = true;
      return Promise.resolve(null);
    },
    stop_follow({ followId }) {
      clearInterval(follows.get(followId)?.timer);
      follows.delete(followId);
      return Promise.resolve(null);
    },
  };
}

/** The commands of a journal, and what is said about the application that has it. */
export const withJournal = (host: Pick<Handlers, "app_info">, journal: LogHandlers) => {
  const about = host.app_info;
  const app_info: typeof about = async (...args) => ({ ...(await about(...args)), logRows: (await journal.log_facets({}, args[1])).total });
  return { ...journal, app_info };
};

const asked = new URLSearchParams(globalThis.location?.search ?? "");

/** The journal of this page, as its address asks for it. */
export const activityCommands: LogHandlers = mockJournal({
  history: 1_204_318,
  rate: Number(asked.get("feed") ?? 1),
  mode: asked.get("log"),
  now: Date.now(),
});
