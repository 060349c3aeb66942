// Events of the past hour and new ones while somebody watches.
import type { LogBatch } from "@/ipc/bindings/LogBatch";
import type { LogEntry } from "@/ipc/bindings/LogEntry";
import type { LogFacets } from "@/ipc/bindings/LogFacets";
import type { LogFilter } from "@/ipc/bindings/LogFilter";
import type { LogPage } from "@/ipc/bindings/LogPage";
import type { LogRow } from "@/ipc/bindings/LogRow";
import { matches } from "./log-filter";

type Draft = Partial<LogEntry> & Pick<LogEntry, "kind" | "body">;

const rpc = (id: number | null, rest: object) => JSON.stringify({ jsonrpc: "2.0", ...(id === null ? {} : { id }), ...rest });

/** One conversation's worth of rows, varied by its number. */
function exchange(n: number): Draft[] {
  const server = [
    { serverId: 1, source: "filesystem" },
    { serverId: 2, source: "github" },
    { serverId: 3, source: "postgres-prod" },
    { serverId: 6, source: "weather" },
  ][n % 4] ?? { serverId: 1, source: "filesystem" };
  const tool = ["read_file", "create_issue", "query", "get_forecast"][n % 4] ?? "read_file";
  const call = { method: "tools/call", rpcId: String(n), subject: tool };
  const failed = n % 9 === 5;
  const answer = failed
    ? rpc(n, { error: { code: -32602, message: "row_limit must be between 1 and 1000", data: { row_limit: 5000 } } })
    : rpc(n, { result: { content: [{ type: "text", text: `Lamp ${n} is on. 灯塔 ${n}` }], isError: false } });
  const rows: Draft[] = [
    {
      ...server,
      kind: "verdict",
      status: "ok",
      subject: tool,
      body: JSON.stringify({ decision: "allow", caller: "workbench", rule: "gesture", tool }),
    },
    {
      ...server,
      ...call,
      kind: "frame",
      direction: "out",
      body: rpc(n, { method: "tools/call", params: { name: tool, arguments: { path: "/home/ana/projects/harbour/lamps.csv", limit: n } } }),
    },
    {
      ...server,
      ...call,
      kind: "frame",
      direction: "in",
      status: failed ? "error" : "ok",
      durationUs: 1_800 + ((n * 7919) % 400_000),
      body: answer,
    },
  ];
  if (n % 5 === 0) rows.push({ ...server, kind: "stderr", direction: "in", body: `cache warmed in ${n % 300} ms` });
  if (n % 6 === 0)
    rows.push({
      ...server,
      kind: "frame",
      direction: "in",
      method: "notifications/message",
      body: rpc(null, { method: "notifications/message", params: { level: "info", data: "connection reused (pool 3/8)" } }),
    });
  if (n % 11 === 0)
    rows.push({
      serverId: 7,
      source: "figma-dev",
      kind: "state",
      status: "error",
      body: JSON.stringify({ from: "reconnecting", to: "failed", reason: "nothing answers at 127.0.0.1:3845: connection refused" }),
    });
  if (n % 17 === 0)
    rows.push({
      serverId: 5,
      source: "docs-search",
      kind: "diagnostic",
      body: JSON.stringify({ code: "bad_item", path: "tools[3]", message: "not an object: null" }),
    });
  if (n % 29 === 0)
    rows.push({
      serverId: 1,
      source: "filesystem",
      kind: "gap",
      body: JSON.stringify({ count: 128, reason: "the server sent more than 1,000 messages per second" }),
    });
  return rows;
}

/** A call that an app makes through Mooring, from its request to its answer. */
function callOfApp(n: number): Draft[] {
  const own = { app: "cursor", call: 1_700_000_000_000_000 + n };
  const front = {
    ...own,
    source: "app:cursor",
    connection: 9,
    kind: "frame",
    method: "tools/call",
    rpcId: `"c-${n}"`,
    subject: "weather__get_forecast",
  } as const;
  const back = {
    ...own,
    serverId: 6,
    source: "weather",
    kind: "frame",
    method: "tools/call",
    rpcId: String(n),
    subject: "get_forecast",
  } as const;
  const token = { progressToken: `c-${n}` };
  const args = { harbour: "Kiel", days: 2, units: "metric" };
  const result = { content: [{ type: "text", text: "Wind 5 from the west, rain after noon" }], isError: false };
  return [
    {
      ...front,
      direction: "from_app",
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: `c-${n}`,
        method: "tools/call",
        params: { name: "weather__get_forecast", arguments: args, _meta: token },
      }),
    },
    {
      ...own,
      serverId: 6,
      source: "weather",
      kind: "verdict",
      status: "ok",
      method: "tools/call",
      subject: "get_forecast",
      body: JSON.stringify({ decision: "allow", caller: "app:cursor", rule: "app_asks", tool: "get_forecast" }),
    },
    {
      ...back,
      direction: "out",
      body: rpc(n, { method: "tools/call", params: { name: "get_forecast", arguments: args, _meta: { progressToken: n } } }),
    },
    { ...back, direction: "in", status: "ok", durationUs: 41_300, body: rpc(n, { result }) },
    { ...front, direction: "to_app", status: "ok", durationUs: 42_100, body: JSON.stringify({ jsonrpc: "2.0", id: `c-${n}`, result }) },
  ];
}

export class Journal {
  readonly rows: LogEntry[] = [];
  private exchanges = 0;
  private readonly follows = new Map<
    string,
    { filter: LogFilter; send: (batch: LogBatch) => void; waiting: LogRow[]; skipped: number; credit: boolean }
  >();
  private timer: ReturnType<typeof setInterval> | undefined;
  private readonly perSecond: number;
  /** Is told how many rows there are, once in a second. */
  private readonly grew: (rows: number) => void;
  private telling: ReturnType<typeof setTimeout> | undefined;

  constructor(size: number, perSecond: number, grew: (rows: number) => void) {
    this.perSecond = perSecond;
    this.grew = grew;
    while (this.rows.length < size) this.exchange(Date.now() * 1000 - (size - this.rows.length) * 800_000);
    this.close();
  }

  private exchange(at: number): LogRow[] {
    this.exchanges += 1;
    const n = this.exchanges;
    const drafts = n % 4 === 2 ? [...callOfApp(n), ...exchange(n)] : exchange(n);
    return drafts.map((draft, index) => this.append({ ...draft, at: at + index * 900 }));
  }

  /** Adds a row and hands it to whoever follows. */
  append(draft: Draft): LogRow {
    const { body } = draft;
    const entry: LogEntry = {
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
      size: body.length,
      preview: body.slice(0, 240),
      ...draft,
      id: this.rows.length + 1,
    };
    this.rows.push(entry);
    this.telling ??= setTimeout(() => {
      this.telling = undefined;
      this.grew(this.rows.length);
    }, 1_000);
    for (const follow of this.follows.values()) {
      if (!matches(entry, entry.body, follow.filter)) continue;
      follow.waiting.push(withoutBody(entry));
      const extra = follow.waiting.length - 500;
      if (extra > 0) {
        follow.waiting.splice(0, extra);
        follow.skipped += extra;
      }
    }
    return entry;
  }

  page(filter: LogFilter, before: number | null, after: number | null, limit: number): LogPage {
    const inside = (row: LogEntry) =>
      (before === null || row.id < before) && (after === null || row.id > after) && matches(row, row.body, filter);
    const found: LogRow[] = [];
    if (after !== null && before === null) {
      for (let index = after; index < this.rows.length && found.length <= limit; index += 1) {
        const row = this.rows[index];
        if (row && inside(row)) found.push(withoutBody(row));
      }
      return { rows: found.slice(0, limit).toReversed(), more: found.length > limit };
    }
    for (
      let index = Math.min(this.rows.length, (before ?? Number.POSITIVE_INFINITY) - 1) - 1;
      index >= 0 && found.length <= limit;
      index -= 1
    ) {
      const row = this.rows[index];
      if (row && inside(row)) found.push(withoutBody(row));
    }
    return { rows: found.slice(0, limit), more: found.length > limit };
  }

  count(filter: LogFilter): number {
    return this.rows.filter((row) => matches(row, row.body, filter)).length;
  }

  facets(): LogFacets {
    const unique = (values: (string | null)[]) => [...new Set(values.filter((value) => value !== null))].toSorted();
    return {
      sources: unique(this.rows.map((row) => (row.serverId === null && row.app !== null ? null : row.source))),
      apps: unique(this.rows.map((row) => row.app)),
      methods: unique(this.rows.map((row) => row.method)),
      total: this.rows.length,
    };
  }

  follow(id: string, filter: LogFilter, send: (batch: LogBatch) => void): void {
    this.follows.set(id, { filter, send, waiting: [], skipped: 0, credit: true });
    this.timer ??= setInterval(() => this.tick(), 50);
  }

  ack(id: string): void {
    const follow = this.follows.get(id);
    if (follow) follow.credit = true;
  }

  stop(id: string): void {
    this.follows.delete(id);
    if (this.follows.size === 0) this.pause();
  }

  private pause(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  close(): void {
    this.pause();
    clearTimeout(this.telling);
    this.telling = undefined;
  }

  private tick(): void {
    if (this.perSecond > 20)
      for (let made = 0; made < this.perSecond / 20; made += 1)
        this.append({ kind: "stderr", direction: "in", source: "weather", serverId: 6, body: `feed line ${this.rows.length}` });
    else if (Math.random() < this.perSecond / 60) this.exchange(Date.now() * 1000);
    for (const follow of this.follows.values()) {
      if (!follow.credit || follow.waiting.length === 0) continue;
      follow.credit = false;
      follow.send({ rows: follow.waiting, skipped: follow.skipped });
      follow.waiting = [];
      follow.skipped = 0;
    }
  }
}

function withoutBody(entry: LogEntry): LogRow {
  const { body: _, ...row } = entry;
  return row;
}
