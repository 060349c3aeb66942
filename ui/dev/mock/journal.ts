// The mock backend's log: its rows by filter and page, and new rows for live views.
import type { LogBatch } from "@/ipc/bindings/LogBatch";
import type { LogEntry } from "@/ipc/bindings/LogEntry";
import type { LogFilter } from "@/ipc/bindings/LogFilter";
import type { LogRow } from "@/ipc/bindings/LogRow";
import type { Args } from "./handlers";
import { Part, refuse, type World } from "./part";

/** The size of the database, in bytes. */
export const DATABASE_BYTES = 18_432_000;
/** The shortest time between two batches (ms), and the most rows in a batch. */
const PULSE = 50;
const BATCH = 500;

export type Draft = Partial<LogEntry> & Pick<LogEntry, "kind" | "body">;

export const logEntry = (id: number, draft: Draft): LogEntry => ({
  at: Date.now() * 1000,
  serverId: null,
  source: "mooring",
  connection: 1,
  direction: "none",
  method: null,
  rpcId: null,
  subject: null,
  status: "none",
  durationUs: null,
  app: null,
  call: null,
  size: draft.body.length,
  preview: draft.body.slice(0, 240),
  ...draft,
  id,
});

interface Follow {
  readonly filter: LogFilter;
  readonly send: (batch: LogBatch) => void;
  waiting: LogRow[];
  skipped: number;
  credit: boolean;
}

function matches(row: LogEntry, filter: LogFilter): boolean {
  const same = (["source", "serverId", "app", "call", "direction", "method"] as const).every(
    (name) => filter[name] === null || filter[name] === row[name],
  );
  if (!same || (filter.kinds.length > 0 && !filter.kinds.includes(row.kind))) return false;
  if (filter.statuses.length > 0 && !filter.statuses.includes(row.status)) return false;
  if (filter.minDurationUs !== null && (row.durationUs ?? -1) < filter.minDurationUs) return false;
  if (filter.text === null) return true;
  return (row.size < 5_000 ? row.body : row.preview).toLowerCase().includes(filter.text.toLowerCase());
}

export function withoutBody(entry: LogEntry): LogRow {
  const { body: _, ...row } = entry;
  return row;
}

/** Additional properties of a long log. */
export interface Long {
  /** How many rows are older than the existing ones. */
  readonly before: number;
  /** "failing" means that it can't be read. */
  readonly mode: string | null;
  /** New rows per second during a live view. */
  readonly rate: number;
  readonly next: (id: number) => LogEntry;
}

export class Journal extends Part {
  readonly rows: LogEntry[];
  private readonly long: Long | null;
  private readonly follows = new Map<string, Follow>();
  private timer: ReturnType<typeof setInterval> | undefined;
  private telling: ReturnType<typeof setTimeout> | undefined;
  private due = 0;

  constructor(host: World, rows: LogEntry[], long: Long | null = null) {
    super(host);
    this.rows = rows;
    this.long = long;
  }

  /** The number of existing and older rows. */
  get total(): number {
    return this.rows.length + (this.long?.before ?? 0);
  }

  /** Adds a row and sends it to live views. */
  append(draft: Draft): LogRow {
    const entry = logEntry(this.total + 1, draft);
    this.add(entry);
    return entry;
  }

  private add(entry: LogEntry): void {
    this.rows.push(entry);
    this.telling ??= setTimeout(() => {
      this.telling = undefined;
      this.host.tell({ kind: "log", rows: this.total, bytes: DATABASE_BYTES });
    }, 1_000);
    for (const follow of this.follows.values()) {
      if (!matches(entry, follow.filter)) continue;
      follow.waiting.push(withoutBody(entry));
      follow.skipped += follow.waiting.splice(0, follow.waiting.length - BATCH).length;
    }
  }

  close(): void {
    clearInterval(this.timer);
    clearTimeout(this.telling);
    this.timer = undefined;
  }

  private pulse(): void {
    if (this.long) {
      this.due += (this.long.rate * PULSE) / 1_000;
      for (; this.due >= 1; this.due -= 1) this.add(this.long.next(this.total + 1));
    }
    for (const follow of this.follows.values()) {
      if (!follow.credit || follow.waiting.length === 0) continue;
      follow.send({ rows: follow.waiting, skipped: follow.skipped });
      Object.assign(follow, { credit: false, waiting: [], skipped: 0 });
    }
  }

  private read(): void {
    if (this.long?.mode === "failing") refuse("internal", "the journal can’t be read: disk I/O error");
  }

  log_page = async ({ filter, before, after, limit }: Args<"log_page">) => {
    this.read();
    const upward = after !== null && before === null;
    const inside = ({ id }: LogRow) => id > (after ?? 0) && id < (before ?? Infinity);
    const found = this.rows.filter((row) => inside(row) && matches(row, filter)).map(withoutBody);
    const rows = upward ? found.slice(0, limit) : found.slice(-limit);
    return { rows: rows.toReversed(), more: found.length > limit };
  };
  log_count = async ({ filter }: Args<"log_count">) => {
    this.read();
    return this.rows.filter((row) => matches(row, filter)).length;
  };
  log_entry = async ({ id }: Args<"log_entry">) => {
    this.read();
    return this.rows.find((row) => row.id === id) ?? null;
  };
  log_facets = async () => {
    const { rows } = this;
    const unique = (values: (string | null)[]) => [...new Set(values.filter((value) => value !== null))].toSorted();
    return {
      sources: unique(rows.map((row) => (row.serverId === null && row.app !== null ? null : row.source))),
      apps: unique(rows.map((row) => row.app)),
      methods: unique(rows.map((row) => row.method)),
      total: this.total,
    };
  };
  count_old_events = async ({ days }: Args<"count_old_events">) =>
    this.rows.filter(({ at }) => at / 1_000 < Date.now() - days * 24 * 3_600_000).length;
  clear_log = async () => this.rows.splice(0).length;
  follow_log = async ({ filter, followId }: Args<"follow_log">, send: (batch: LogBatch) => void) => {
    this.follows.set(followId, { filter, send, waiting: [], skipped: 0, credit: true });
    this.timer ??= setInterval(() => this.pulse(), PULSE);
    return null;
  };
  ack_log = async ({ followId }: Args<"ack_log">) => {
    const follow = this.follows.get(followId);
    if (follow) follow.credit = true;
    return null;
  };
  stop_follow = async ({ followId }: Args<"stop_follow">) => {
    this.follows.delete(followId);
    if (this.follows.size === 0) this.close();
    return null;
  };
}
