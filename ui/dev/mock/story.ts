// The events of the mock logs: templates of a short working day with nine servers, which repeat, and numbered
// conversations in the shorter log of most scenes.
import type { LogEntry } from "@/ipc/bindings/LogEntry";
import { type Draft, Journal, logEntry } from "./journal";
import type { World } from "./part";

interface Event extends Omit<Draft, "body"> {
  /** Milliseconds after the previous event. */
  readonly wait: number;
  readonly source: string;
  /** The number of the request within a round, its own or the one that it answers. */
  readonly rpc: number | null;
  readonly cancels?: number;
  readonly body: (rpcId: string | null) => string;
}

/** A server's id is the index of its name. */
const names = ["", "filesystem", "github", "postgres-prod", "linear", "docs-search", "weather", "figma-dev", "git", "browser", "demo"];
const json = (value: object | string) => (typeof value === "string" ? value : JSON.stringify(value));

const event = (wait: number, source: string, body: Event["body"], part: Partial<Event> = {}): Event => ({
  wait,
  source,
  serverId: names.indexOf(source),
  connection: names.indexOf(source),
  kind: "frame",
  direction: "none",
  rpc: null,
  body,
  ...part,
});
const message = (wait: number, source: string, method: string, params: object | string, part: Partial<Event> = {}) =>
  event(wait, source, (id) => `{"jsonrpc":"2.0",${id === null ? "" : `"id":${id},`}"method":"${method}","params":${json(params)}}`, {
    method,
    direction: "in",
    ...part,
  });
const answer = (wait: number, source: string, rpc: number, method: string, result: string | (() => string), part: Partial<Event> = {}) =>
  event(wait, source, (id) => `{"jsonrpc":"2.0","id":${id},${typeof result === "string" ? result : result()}}`, {
    direction: "in",
    method,
    rpc,
    status: "ok",
    durationUs: wait * 1_000 + 380,
    ...part,
  });
const ask = (wait: number, source: string, rpc: number, method: string, params: object | string = {}, part: Partial<Event> = {}) =>
  message(wait, source, method, params, { direction: "out", rpc, ...part });

/** A tool call and its answer. */
const call = (wait: number, source: string, rpc: number, tool: string, args: object, more = {}) =>
  ask(wait, source, rpc, "tools/call", { name: tool, arguments: args, ...more }, { subject: tool });
const called = (wait: number, source: string, rpc: number, tool: string, result: string | (() => string), part: Partial<Event> = {}) =>
  answer(wait, source, rpc, "tools/call", result, { subject: tool, ...part });
const text = (value: string) => `"result":${json({ content: [{ type: "text", text: value }] })}`;
const error = (code: number, said: string, more = {}) => `"error":${json({ code, message: said, ...more })}`;

const stderr = (wait: number, source: string, line: string) => event(wait, source, () => line, { kind: "stderr", direction: "in" });
const verdict = (wait: number, source: string, tool: string, caller: string) => {
  const argumentsSha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
  const body = json({ argumentsSha256, caller, calls: 1, decision: "allow", rule: "gesture", tool });
  return event(wait, source, () => body, { kind: "verdict", subject: tool, status: "ok", method: "tools/call" });
};
const state = (wait: number, source: string, to: string, reason: string | null = null) => {
  const failure = reason === null ? null : { kind: "refused", message: reason, evidence: null };
  const body = json({ state: to, reason, attempt: 1, failure });
  const status = to === "ready" ? "ok" : reason === null ? "none" : "error";
  return event(wait, source, () => body, { kind: "state", subject: to, status });
};
const note = (wait: number, source: string, kind: "diagnostic" | "gap", body: object | string, part: Partial<Event> = {}) =>
  event(wait, source, () => json(body), { kind, ...part });

let made: string | undefined;
/** A result of nearly a megabyte, which all rows use together. */
const berths = () => {
  const city = ["Rotterdam", "Singapore", "青岛 Qingdao", "Hamburg"];
  const rows = () => Array.from({ length: 12_000 }, (_, id) => ({ id, city: city[id % 4], berth: `B-${id}`, depth: 11.5 }));
  const whole = () => json({ content: [{ type: "text", text: "12,000 rows" }], structuredContent: { rows: rows(), cursor: null } });
  made ??= `"result":${whole().replace('"cursor":null', '"cursor":90071992547409931')}`;
  return made;
};
const lamps = "file:///home/mara/harbour/lamps.csv";
const failed = { status: "error" } as const;

const hello = '{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"mooring","version":"0.1.0"}}';
const welcome =
  '{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"logging":{}},"serverInfo":{"name":"postgres","version":"1.4.2"}}';
const queries =
  '{"name":"query","inputSchema":{"type":"object","properties":{"sql":{"type":"string"}},"required":["sql"]}},{"name":"explain","inputSchema":{"type":"object"}},{"name":"list_tables"}';
const forecasts =
  '{"name":"get_forecast","description":"Forecast for a harbour.","inputSchema":{"type":"object"}},{"name":"get_tides","inputSchema":{"type":"object"}}';
const sql = "select city, count(*) as berths from harbour.berth group by city order by 2 desc";
const progress = '{"progressToken":2,"progress":1,"total":4,"message":"plan: HashAggregate → Seq Scan on berth"}';
const whichLabel = '{"message":"Which label?","requestedSchema":{"type":"object","properties":{"label":{"type":"string"}}}}';
const robots = '{"level":"warning","logger":"crawler","data":"robots.txt asks for 1 request per second"}';
const longLine =
  'WARN  demo::tools: "fail" was called\u001b[0m; nothing else happened on this long line of standard error that goes on and on, so that it has to be cut off somewhere near the right edge of the list';

/** A round of events. */
const story: readonly Event[] = [
  state(0, "postgres-prod", "starting"),
  ask(14, "postgres-prod", 0, "initialize", hello),
  stderr(40, "postgres-prod", "connected to harbour@db.internal:5432 (pool 8)"),
  answer(112, "postgres-prod", 0, "initialize", `"result":${welcome}`),
  message(1, "postgres-prod", "notifications/initialized", {}, { direction: "out" }),
  state(1, "postgres-prod", "ready"),
  ask(3, "postgres-prod", 1, "tools/list"),
  answer(21, "postgres-prod", 1, "tools/list", `"result":{"tools":[${queries}]}`),
  note(0, "postgres-prod", "diagnostic", '{"code":"missing_field","path":"tools[2].inputSchema","message":"the tool has no input schema"}'),
  verdict(1_900, "postgres-prod", "query", "workbench"),
  call(1, "postgres-prod", 2, "query", { sql, row_limit: 200 }, { _meta: { progressToken: 2 } }),
  message(60, "postgres-prod", "notifications/progress", progress),
  called(184, "postgres-prod", 2, "query", berths),
  message(700, "filesystem", "notifications/resources/updated", { uri: lamps }, { subject: lamps }),
  state(900, "figma-dev", "failed", "could not connect: connection refused (127.0.0.1:3845)"),
  ask(600, "weather", 3, "tools/list"),
  stderr(30, "weather", "cache warmed in 212 ms"),
  answer(9, "weather", 3, "tools/list", `"result":{"tools":[${forecasts}]}`),
  verdict(1_300, "weather", "get_forecast", "command_line"),
  call(1, "weather", 4, "get_forecast", { harbour: "青岛", days: 3 }),
  called(96, "weather", 4, "get_forecast", text("多云，东南风 4 级，浪高 0.8 米。\u202ereversed\u202c and a zero\u200bwidth space")),
  call(400, "linear", 5, "list_issues", { team: "HARBOUR", state: "open" }),
  called(131, "linear", 5, "list_issues", error(-32602, "Unknown team: HARBOUR", { data: { known: ["DOCK", "LAMP"] } }), failed),
  verdict(800, "github", "create_issue", "workbench"),
  call(1, "github", 6, "create_issue", {
    owner: "acme",
    repo: "harbour-lights",
    title: "Lamp 14 flickers after the update",
    body: "Seen on three nights since build 4.2.\nLog attached below.",
  }),
  ask(70, "github", 7, "elicitation/create", whichLabel, { direction: "in" }),
  answer(2_900, "github", 7, "elicitation/create", error(-32601, "Method not found"), { ...failed, direction: "out" }),
  called(410, "github", 6, "create_issue", text("Created acme/harbour-lights#482")),
  verdict(600, "docs-search", "crawl", "workbench"),
  call(1, "docs-search", 8, "crawl", { url: "https://example.net/harbour", depth: 4 }),
  message(900, "docs-search", "notifications/message", robots),
  event(
    1_800,
    "docs-search",
    (id) => `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id},"reason":"cancelled by the person"}}`,
    { direction: "out", method: "notifications/cancelled", cancels: 8, subject: "crawl" },
  ),
  called(2, "docs-search", 8, "crawl", error(-32800, "Request cancelled"), { status: "cancelled" }),
  call(300, "git", 9, "git_log", { repo_path: ".", max_count: 20 }),
  called(6, "git", 9, "git_log", text("commit 9f1c0de\nAuthor: Mara\n\n    Dim the quay lamps after midnight\n")),
  call(500, "demo", 10, "echo", { message: "Ahoy ⚓" }),
  called(1, "demo", 10, "echo", text("Ahoy ⚓")),
  call(300, "demo", 11, "fail", {}),
  called(1, "demo", 11, "fail", '"result":{"content":[{"type":"text","text":"the tool was asked to fail"}],"isError":true}', failed),
  stderr(20, "demo", longLine),
  ask(400, "docs-search", 12, "ping"),
  answer(60_000, "docs-search", 12, "ping", error(-32001, "Request timed out"), { status: "timed_out" }),
  note(5, "docs-search", "gap", { count: 1_250, reason: "the disk was full" }),
  note(5, "docs-search", "gap", { deleted: 48_210, upTo: 48_210 }),
  state(2, "docs-search", "reconnecting", "no answer to ping for 60 s"),
  note(400, "weather", "diagnostic", "Listening on stdio...", { direction: "in", status: "error" }),
  note(300, "demo", "diagnostic", '{"call":"progress","message":"no answer and no progress for 60 s"}', {
    method: "tools/call",
    subject: "progress",
    status: "timed_out",
    durationUs: 60_000_000,
  }),
];

const glances = new Map<Event, { preview: string; size: number }>();

/** Row number `id`. A long body is one text for all rows. */
function storyRow(id: number, at: number): LogEntry {
  const event = story[(id - 1) % story.length]!;
  const { wait: _, rpc, cancels, body, ...rest } = event;
  const numberOf = (within: number | null = null) => (within === null ? null : String(Math.floor((id - 1) / story.length) * 16 + within));
  const whole = body(numberOf(rpc ?? cancels));
  const glance = glances.get(event) ?? { preview: whole.slice(0, 240), size: new TextEncoder().encode(whole).length };
  glances.set(event, glance);
  return logEntry(id, { ...rest, rpcId: numberOf(rpc), at, body: whole, ...glance });
}

/** How many rows of a long log exist: as many as a person would scroll through. */
const MOST = 4_000;

/** A log with this many past rows, and a feed with this many rows per second. */
export function storyJournal(host: World, history: number, rate: number, mode: string | null): Journal {
  const before = Math.max(0, history - MOST);
  const rows: LogEntry[] = [];
  let at = Date.now();
  for (let id = history; id > before; id -= 1) {
    rows.unshift(storyRow(id, at * 1_000 + (id % 997)));
    at -= id % story.length === 1 ? 1_000 : story[(id - 1) % story.length]!.wait;
  }
  return new Journal(host, rows, { before, mode, rate, next: (id) => storyRow(id, Date.now() * 1_000) });
}

/** The rows of a conversation, varied by its number. */
function exchange(n: number): Event[] {
  const talks = ["filesystem read_file", "github create_issue", "postgres-prod query", "weather get_forecast"];
  const [source = "", tool = ""] = talks[n % 4]!.split(" ");
  const durationUs = 1_800 + ((n * 7919) % 400_000);
  const result = `"result":${json({ content: [{ type: "text", text: `Lamp ${n} is on. 灯塔 ${n}` }], isError: false })}`;
  const wrong = error(-32602, "row_limit must be between 1 and 1000", { data: { row_limit: 5000 } });
  const reused = { level: "info", data: "connection reused (pool 3/8)" };
  const refused = "nothing answers at 127.0.0.1:3845: connection refused";
  return [
    verdict(0, source, tool, "workbench"),
    call(0, source, n, tool, { path: "/home/ana/projects/harbour/lamps.csv", limit: n }),
    n % 9 === 5 ? called(0, source, n, tool, wrong, { ...failed, durationUs }) : called(0, source, n, tool, result, { durationUs }),
    ...(n % 5 === 0 ? [stderr(0, source, `cache warmed in ${n % 300} ms`)] : []),
    ...(n % 6 === 0 ? [message(0, source, "notifications/message", reused)] : []),
    ...(n % 11 === 0 ? [state(0, "figma-dev", "failed", refused)] : []),
    ...(n % 17 === 0 ? [note(0, "docs-search", "diagnostic", { code: "bad_item", path: "tools[3]", message: "not an object: null" })] : []),
    ...(n % 29 === 0 ? [note(0, "filesystem", "gap", { count: 128, reason: "the server sent more than 1,000 messages per second" })] : []),
  ];
}

/** An app's call through Mooring, from its request to its answer. */
function callOfApp(n: number): Event[] {
  const own = { app: "cursor", call: 1_700_000_000_000_000 + n };
  const front = {
    ...own,
    source: "app:cursor",
    serverId: null,
    connection: 9,
    rpcId: `"c-${n}"`,
    subject: "weather__get_forecast",
  } as const;
  const args = { harbour: "Kiel", days: 2, units: "metric" };
  const asked = { name: "weather__get_forecast", arguments: args, _meta: { progressToken: `c-${n}` } };
  const result = `"result":${json({ content: [{ type: "text", text: "Wind 5 from the west, rain after noon" }], isError: false })}`;
  const allowed = json({ decision: "allow", caller: "app:cursor", rule: "app_asks", tool: "get_forecast" });
  return [
    ask(0, "app:cursor", 0, "tools/call", asked, { ...front, direction: "from_app" }),
    { ...verdict(0, "weather", "get_forecast", "app:cursor"), ...own, body: () => allowed },
    { ...call(0, "weather", n, "get_forecast", args, { _meta: { progressToken: n } }), ...own },
    called(0, "weather", n, "get_forecast", result, { ...own, durationUs: 41_300 }),
    answer(0, "app:cursor", 0, "tools/call", result, { ...front, direction: "to_app", durationUs: 42_100 }),
  ];
}

/** This many rows of the past hour. */
export function recentRows(size: number): LogEntry[] {
  const rows: LogEntry[] = [];
  for (let n = 1; rows.length < size; n += 1) {
    const at = Date.now() * 1000 - (size - rows.length) * 800_000;
    for (const [index, { wait: _, rpc, body, rpcId, ...event }] of [...(n % 4 === 2 ? callOfApp(n) : []), ...exchange(n)].entries()) {
      const own = rpcId ?? (rpc === null ? null : String(rpc));
      rows.push(logEntry(rows.length + 1, { ...event, rpcId: own, at: at + index * 900, body: body(own) }));
    }
  }
  return rows;
}
