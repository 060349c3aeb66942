// What happens in the scripted journal, over and over: one short working day of nine servers, as templates.
import type { Direction } from "@/ipc/bindings/Direction";
import type { LogKind } from "@/ipc/bindings/LogKind";
import type { LogStatus } from "@/ipc/bindings/LogStatus";

export interface Scene {
  /** Milliseconds after the scene before. */
  wait: number;
  source: string;
  kind: LogKind;
  direction: Direction;
  method: string | null;
  /** The request's number within one round of the story. */
  rpc: number | null;
  /** The number of the request that it names, where it has none itself. */
  names: number | null;
  subject: string | null;
  status: LogStatus;
  durationUs: number | null;
  body: (rpcId: string | null) => string;
}

export const sources = ["github", "filesystem", "postgres-prod", "linear", "weather", "figma-dev", "docs-search", "git", "demo"];

const scene = (wait: number, source: string, part: Partial<Scene> & Pick<Scene, "body">): Scene => ({
  wait,
  source,
  kind: "frame",
  direction: "none",
  method: null,
  rpc: null,
  names: null,
  subject: null,
  status: "none",
  durationUs: null,
  ...part,
});

const request = (
  wait: number,
  source: string,
  rpc: number,
  method: string,
  subject: string | null,
  params: unknown,
  direction: Direction = "out",
): Scene =>
  scene(wait, source, {
    direction,
    method,
    rpc,
    subject,
    body: (id) => `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`,
  });

const answer = (
  wait: number,
  source: string,
  rpc: number,
  method: string,
  subject: string | null,
  result: string | (() => string),
  status: LogStatus = "ok",
  direction: Direction = "in",
): Scene =>
  scene(wait, source, {
    direction,
    method,
    rpc,
    subject,
    status,
    durationUs: wait * 1_000 + 380,
    body: (id) => `{"jsonrpc":"2.0","id":${id},${typeof result === "string" ? result : result()}}`,
  });

const notification = (
  wait: number,
  source: string,
  method: string,
  params: unknown,
  direction: Direction = "in",
  subject: string | null = null,
): Scene =>
  scene(wait, source, {
    direction,
    method,
    subject,
    body: () => `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`,
  });

const stderr = (wait: number, source: string, text: string): Scene =>
  scene(wait, source, { kind: "stderr", direction: "in", body: () => text });

const verdict = (wait: number, source: string, tool: string, caller: string): Scene =>
  scene(wait, source, {
    kind: "verdict",
    subject: tool,
    status: "ok",
    method: "tools/call",
    body: () =>
      JSON.stringify({
        argumentsSha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        caller,
        calls: 1,
        decision: "allow",
        rule: "gesture",
        tool,
      }),
  });

const state = (wait: number, source: string, to: string, reason: string | null = null): Scene =>
  scene(wait, source, {
    kind: "state",
    subject: to,
    status: to === "ready" ? "ok" : reason === null ? "none" : "error",
    body: () =>
      JSON.stringify({
        state: to,
        reason,
        attempt: 1,
        failure: reason === null ? null : { kind: "refused", message: reason, evidence: null },
      }),
  });

const text = (value: string) => `"result":${JSON.stringify({ content: [{ type: "text", text: value }] })}`;

const berths = () =>
  `"result":${JSON.stringify({
    content: [{ type: "text", text: "12,000 rows" }],
    structuredContent: {
      rows: Array.from({ length: 12_000 }, (_, id) => ({
        id,
        city: ["Rotterdam", "Singapore", "青岛 Qingdao", "Hamburg"][id % 4],
        berth: `B-${id}`,
        depth: 11.5,
      })),
      cursor: null,
    },
  }).replace('"cursor":null', '"cursor":90071992547409931')}`;

/** One round of the story. */
export const story: readonly Scene[] = [
  state(0, "postgres-prod", "starting"),
  request(14, "postgres-prod", 0, "initialize", null, {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "mooring", version: "0.1.0" },
  }),
  stderr(40, "postgres-prod", "connected to harbour@db.internal:5432 (pool 8)"),
  answer(
    112,
    "postgres-prod",
    0,
    "initialize",
    null,
    '"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"logging":{}},"serverInfo":{"name":"postgres","version":"1.4.2"}}',
  ),
  notification(1, "postgres-prod", "notifications/initialized", {}, "out"),
  state(1, "postgres-prod", "ready"),
  request(3, "postgres-prod", 1, "tools/list", null, {}),
  answer(
    21,
    "postgres-prod",
    1,
    "tools/list",
    null,
    '"result":{"tools":[{"name":"query","inputSchema":{"type":"object","properties":{"sql":{"type":"string"}},"required":["sql"]}},{"name":"explain","inputSchema":{"type":"object"}},{"name":"list_tables"}]}',
  ),
  scene(0, "postgres-prod", {
    kind: "diagnostic",
    body: () => '{"code":"missing_field","path":"tools[2].inputSchema","message":"the tool has no input schema"}',
  }),
  verdict(1_900, "postgres-prod", "query", "workbench"),
  request(1, "postgres-prod", 2, "tools/call", "query", {
    name: "query",
    arguments: { sql: "select city, count(*) as berths from harbour.berth group by city order by 2 desc", row_limit: 200 },
    _meta: { progressToken: 2 },
  }),
  notification(60, "postgres-prod", "notifications/progress", {
    progressToken: 2,
    progress: 1,
    total: 4,
    message: "plan: HashAggregate → Seq Scan on berth",
  }),
  answer(184, "postgres-prod", 2, "tools/call", "query", berths),
  notification(
    700,
    "filesystem",
    "notifications/resources/updated",
    { uri: "file:///home/mara/harbour/lamps.csv" },
    "in",
    "file:///home/mara/harbour/lamps.csv",
  ),
  state(900, "figma-dev", "failed", "could not connect: connection refused (127.0.0.1:3845)"),
  request(600, "weather", 3, "tools/list", null, {}),
  stderr(30, "weather", "cache warmed in 212 ms"),
  answer(
    9,
    "weather",
    3,
    "tools/list",
    null,
    '"result":{"tools":[{"name":"get_forecast","description":"Forecast for a harbour.","inputSchema":{"type":"object"}},{"name":"get_tides","inputSchema":{"type":"object"}}]}',
  ),
  verdict(1_300, "weather", "get_forecast", "command_line"),
  request(1, "weather", 4, "tools/call", "get_forecast", { name: "get_forecast", arguments: { harbour: "青岛", days: 3 } }),
  answer(
    96,
    "weather",
    4,
    "tools/call",
    "get_forecast",
    text("多云，东南风 4 级，浪高 0.8 米。\u202ereversed\u202c and a zero\u200bwidth space"),
  ),
  request(400, "linear", 5, "tools/call", "list_issues", { name: "list_issues", arguments: { team: "HARBOUR", state: "open" } }),
  answer(
    131,
    "linear",
    5,
    "tools/call",
    "list_issues",
    '"error":{"code":-32602,"message":"Unknown team: HARBOUR","data":{"known":["DOCK","LAMP"]}}',
    "error",
  ),
  verdict(800, "github", "create_issue", "workbench"),
  request(1, "github", 6, "tools/call", "create_issue", {
    name: "create_issue",
    arguments: {
      owner: "acme",
      repo: "harbour-lights",
      title: "Lamp 14 flickers after the update",
      body: "Seen on three nights since build 4.2.\nLog attached below.",
    },
  }),
  request(
    70,
    "github",
    7,
    "elicitation/create",
    null,
    { message: "Which label?", requestedSchema: { type: "object", properties: { label: { type: "string" } } } },
    "in",
  ),
  answer(2_900, "github", 7, "elicitation/create", null, '"error":{"code":-32601,"message":"Method not found"}', "error", "out"),
  answer(410, "github", 6, "tools/call", "create_issue", text("Created acme/harbour-lights#482")),
  verdict(600, "docs-search", "crawl", "workbench"),
  request(1, "docs-search", 8, "tools/call", "crawl", { name: "crawl", arguments: { url: "https://example.net/harbour", depth: 4 } }),
  notification(900, "docs-search", "notifications/message", {
    level: "warning",
    logger: "crawler",
    data: "robots.txt asks for 1 request per second",
  }),
  scene(1_800, "docs-search", {
    direction: "out",
    method: "notifications/cancelled",
    names: 8,
    subject: "crawl",
    body: (id) => `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id},"reason":"cancelled by the person"}}`,
  }),
  answer(2, "docs-search", 8, "tools/call", "crawl", '"error":{"code":-32800,"message":"Request cancelled"}', "cancelled"),
  request(300, "git", 9, "tools/call", "git_log", { name: "git_log", arguments: { repo_path: ".", max_count: 20 } }),
  answer(6, "git", 9, "tools/call", "git_log", text("commit 9f1c0de\nAuthor: Mara\n\n    Dim the quay lamps after midnight\n")),
  request(500, "demo", 10, "tools/call", "echo", { name: "echo", arguments: { message: "Ahoy ⚓" } }),
  answer(1, "demo", 10, "tools/call", "echo", text("Ahoy ⚓")),
  request(300, "demo", 11, "tools/call", "fail", { name: "fail", arguments: {} }),
  answer(
    1,
    "demo",
    11,
    "tools/call",
    "fail",
    '"result":{"content":[{"type":"text","text":"the tool was asked to fail"}],"isError":true}',
    "error",
  ),
  stderr(
    20,
    "demo",
    'WARN  demo::tools: "fail" was called\u001b[0m; nothing else happened on this long line of standard error that goes on and on, so that it has to be cut off somewhere near the right edge of the list',
  ),
  request(400, "docs-search", 12, "ping", null, {}),
  answer(60_000, "docs-search", 12, "ping", null, '"error":{"code":-32001,"message":"Request timed out"}', "timed_out"),
  scene(5, "docs-search", { kind: "gap", body: () => '{"count":1250,"reason":"the disk was full"}' }),
  scene(5, "docs-search", { kind: "gap", body: () => '{"deleted":48210,"upTo":48210}' }),
  state(2, "docs-search", "reconnecting", "no answer to ping for 60 s"),
  scene(400, "weather", { kind: "diagnostic", direction: "in", status: "error", body: () => "Listening on stdio..." }),
  scene(300, "demo", {
    kind: "diagnostic",
    method: "tools/call",
    subject: "progress",
    status: "timed_out",
    durationUs: 60_000_000,
    body: () => '{"call":"progress","message":"no answer and no progress for 60 s"}',
  }),
];
