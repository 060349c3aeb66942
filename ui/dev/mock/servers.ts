// Saved servers in the usual scenes: nearly all states, local and remote, good and odd.
import { newServer } from "@/ipc/bindings/defaults";
import type { Failure } from "@/ipc/bindings/Failure";
import type { InstanceView } from "@/ipc/bindings/InstanceView";
import type { ServerInput } from "@/ipc/bindings/ServerInput";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { iconsOf, namesIcons } from "./icons";
import { fallback, limits, modern, older, session } from "./negotiation";
import { toolsOf } from "./offers";
import { failures, harbour, postgres } from "./recorded";
import { said, say } from "./say";
import type { Scene } from "./scenes";

const minute = 60_000;

/** The form's values for a local server. */
export function stdio(name: string, command: string, ...args: string[]): ServerInput {
  return { ...newServer, name, command, args };
}

/** The form's values for a remote server. */
export function http(name: string, url: string, headers: Record<string, string> = {}): ServerInput {
  return { ...newServer, name, transport: "http", url, headers };
}

/** A recorded server without the values of its form. */
const idle = Object.fromEntries(Object.entries(postgres.server).filter(([key]) => !(key in newServer))) as Omit<
  ServerView,
  keyof ServerInput
>;

/** A saved server that was not started, without the data that only exists while it runs. */
export const stopped = (id: number, input: ServerInput): ServerView => ({
  ...input,
  ...idle,
  review: { approved: 0, approvedTools: 0, new: 0, changed: 0, blocked: false },
  id,
  state: "stopped",
  namesIcons: namesIcons(input.name),
  icons: iconsOf(input.name),
  since: Date.now() - 12 * minute,
  serverName: null,
  serverVersion: null,
  revision: null,
  negotiatedEra: null,
  reason: null,
  steps: [],
  capabilities: null,
  toolCount: null,
  resourceCount: null,
  promptCount: null,
  connectMs: null,
  pid: null,
  programPath: null,
});

/** A saved server that failed to start. */
const failed = (id: number, input: ServerInput, failure: Failure, part: Partial<ServerView> = {}): ServerView => ({
  ...stopped(id, input),
  state: "failed",
  attempt: 1,
  failure,
  ...part,
});

/** The same server after a successful start. */
export function ready(server: ServerView, tools: number, p95Ms: number | null = null): ServerView {
  const local = server.transport === "stdio";
  return {
    ...server,
    state: "ready",
    since: Date.now() - 7 * minute,
    attempt: 1,
    failure: null,
    serverName: server.name,
    serverTitle: null,
    serverVersion: "1.4.2",
    ...session,
    steps: [],
    capabilities: '{"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{},"logging":{}}',
    toolCount: tools,
    connectMs: 312,
    callTimes: p95Ms === null ? null : { count: 148, p50Ms: Math.ceil(p95Ms / 3), p95Ms },
    calls: p95Ms === null ? 0 : 148,
    pid: local ? 40_000 + server.id * 17 : null,
    programPath: local ? `/home/ana/.local/share/mise/shims/${server.command ?? ""}` : null,
    stderrTail: local ? ["listening on stdio", "cache warmed in 212 ms"] : [],
  };
}

/** A separate process for an app, or for callers with the same folders. */
const instance = (number: number, part: Partial<InstanceView>): InstanceView => ({
  number,
  app: null,
  roots: null,
  state: "ready",
  failure: null,
  since: Date.now() - 38 * minute,
  usedAt: Date.now() - 2 * minute,
  inUse: false,
  inSession: false,
  calls: 0,
  pid: 41_000 + number,
  ...part,
});

const instances: InstanceView[] = [
  instance(1, { app: "claude-code", roots: ["file:///home/ana/projects/harbour"], inUse: true, calls: 214 }),
  instance(2, {
    roots: [
      "file:///home/ana/projects/a-very-long-directory-name-that-never-seems-to-end/and/another/one/inside/of/it",
      "file:///home/ana/projects/tide%20tables",
      "file:///home/ana/notes",
      "file:///home/ana/%E6%B8%AF%E5%8F%A3",
    ],
    usedAt: Date.now() - 4 * minute,
    calls: 1,
  }),
];

const instructions = `Use search_files before read_file when you do not know the exact path.
Paths are relative to the folders you were given. Files over 1 MB are returned in parts.`;

const secret = (place: "env" | "header", name: string, entered = true) => ({ secrets: [{ place, name, value: null, entered }] });

/** The servers of the usual scene. */
function usual(): ServerView[] {
  const filesystem = stdio("filesystem", "npx", "-y", "@modelcontextprotocol/server-filesystem", "/home/ana/projects");
  const github = http("github", "https://api.githubcopilot.com/mcp/", {
    Authorization: "Bearer ghp_example0123456789",
    "X-MCP-Toolsets": "repos,issues",
  });
  const postgres = {
    ...stdio("postgres-prod", "uvx", "mcp-server-postgres", "--read-only"),
    ...secret("env", "PGPASSWORD"),
    env: { DATABASE_URL: "postgres://reader:hunter2@db.acme.test/app", PGCONNECT_TIMEOUT: "5" },
  };
  const docs = { ...http("docs-search", "https://docs.acme.test/mcp"), ...secret("header", "X-Harbour-Key") };
  const weather = { ...stdio("weather", "node", "/home/ana/src/weather/dist/index.js"), ...secret("env", "WEATHER_API_KEY", false) };
  const git = stdio("git", "uvx", "mcp-server-git", "--repository", "/home/ana/projects/harbour");
  return [
    {
      ...ready(stopped(1, { ...filesystem, env: { LOG_LEVEL: "info" } }), 14, 4),
      serverName: "secure-filesystem-server",
      instructions,
      asksForRoots: true,
      instances,
    },
    {
      ...ready(stopped(2, github), 41, 212),
      state: "waiting_for_you",
      serverName: "github-mcp-server",
      serverTitle: "GitHub MCP Server",
      serverVersion: "0.17.1",
      connectMs: 84,
      diagnostics: [
        { code: "missing", path: "tools[17].inputSchema", message: say("missing; the tool is shown and takes any object") },
        { code: "missing", path: "tools/list.ttlMs", message: say("missing, so the list is not cached") },
      ],
    },
    {
      ...ready(stopped(3, postgres), 6, 18),
      ...older,
      singleUser: "database",
      instanceRule: "per_app",
      instances: [instance(1, { app: "pier-bot", state: "failed", failure: failures.exited, pid: null })],
    },
    failed(4, http("linear", "https://mcp.linear.app/mcp"), failures.sign_in, { state: "sign_in_needed" }),
    {
      ...ready(stopped(5, docs), 3, 1_904),
      ...older,
      state: "degraded",
      diagnostics: [{ code: "wrong_type", path: "tools[3]", message: say("not an object: null") }],
      instructions: "Search first, then fetch. \u202Etxt.exe\u202C is not a document. Ask for at most 20 results.",
      failure: {
        code: "handshake",
        message: say("1 of 4 tools could not be read"),
        next: say("The three good tools work. The author can fix the fourth."),
        evidence: '{"tools":[{"name":"search"},{"name":"fetch"},{"name":"list"},null]}',
      },
    },
    { ...ready(stopped(6, weather), 2, 9), changed: true },
    failed(7, http("figma-dev", "http://127.0.0.1:3845/mcp"), failures.refused, { attempt: 5 }),
    {
      ...stopped(8, git),
      state: "starting",
      attempt: 1,
      since: Date.now() - 2_000,
      pid: 41_337,
      programPath: "/home/ana/.local/bin/uvx",
      stderrTail: ["Downloading pygit2 (5.2MiB)"],
    },
    {
      ...ready(stopped(9, stdio("browser", "npx", "@playwright/mcp@latest")), 22, 640),
      state: "reconnecting",
      attempt: 3,
      failure: failures.exited,
      singleUser: "browser",
    },
    stopped(10, stdio("demo", "mooring-demo-server")),
  ];
}

/** The usual servers with one change. */
const usualBut = (id: number, change: (server: ServerView) => ServerView) =>
  usual().map((server) => (server.id === id ? change(server) : server));

/** The usual servers with a locked vault: those with secrets wait for it. */
function locked(): ServerView[] {
  const failure: Failure = {
    code: "vault_locked",
    message: said("your secrets wait for the passphrase"),
    next: said("{step} The server starts by itself once the vault is open.", { step: "Enter the passphrase." }),
    evidence: null,
  };
  const waits = (server: ServerView) => server.secrets.some(({ entered }) => entered);
  return usual().map((server) => (waits(server) ? failed(server.id, server, failure, { state: "locked", attempt: 0 }) : server));
}

/** The usual servers with a missing program. */
function lacking(command: string, program: string): ServerView[] {
  const whose = said("your login shell’s PATH");
  const failure: Failure = {
    code: "command_not_found",
    message: said("{name} wasn’t found in the {count} folders of {whose}", { name: command, count: "2", whose }),
    next: said("Install {package}, or give the full path.", { package: program }),
    evidence: "/usr/local/bin\n/usr/bin",
  };
  return usualBut(8, (server) => failed(server.id, { ...server, command }, failure));
}

/** A demo server with every kind of offer, and other servers of every era. */
function offers(): ServerView[] {
  const { serverName, serverTitle, serverVersion, capabilities, diagnostics } = harbour.server;
  const demo = {
    ...ready(stopped(10, stdio("demo", "mooring-demo-server")), toolsOf("demo", 0).tools.length, 3),
    ...session,
    serverName,
    serverTitle,
    serverVersion,
    capabilities,
    diagnostics: [...diagnostics, ...harbour.resources.diagnostics],
    limits,
    instructions,
  };
  const rest = usual();
  const of = (name: string) => rest.find((server) => server.name === name) ?? demo;
  const tasks = '{"tools":{"listChanged":true},"extensions":{"io.modelcontextprotocol/tasks":{}}}';
  return [
    demo,
    { ...of("postgres-prod"), ...session },
    { ...of("filesystem"), ...session },
    { ...of("docs-search"), ...fallback, capabilities: '{"tools":{}}' },
    { ...of("github"), ...modern, state: "ready", capabilities: tasks },
    of("figma-dev"),
    stopped(6, stdio("weather", "node", "/home/ana/src/weather/dist/index.js")),
  ];
}

/** Forty servers, most of them healthy. */
function many(): ServerView[] {
  const words = ["atlas", "beacon", "cargo", "dock", "estuary", "fathom", "gangway", "harbour", "inlet", "jetty"];
  const more = Array.from({ length: 30 }, (_, index) => {
    const name = `${words[index % words.length] ?? "pier"}-${Math.floor(index / words.length) + 1}`;
    const input = index % 3 === 0 ? http(name, `https://${name}.acme.test/mcp`) : stdio(name, "npx", "-y", `@acme/${name}`);
    const server = stopped(100 + index, input);
    return index % 7 === 6 ? server : ready(server, (index * 7) % 60, index % 4 === 0 ? null : 3 + index * 11);
  });
  return [...usual(), ...more];
}

/** Names and texts that are too long, by server. */
const long: Record<number, Partial<ServerView>> = {
  1: {
    name: "the-filesystem-of-the-build-machine-in-the-basement-of-the-old-harbour-office",
    args: [
      "-y",
      "@modelcontextprotocol/server-filesystem@2025.11.25-rc.4+build.20251103",
      "/home/ana/projects/a-very-long-directory-name-that-never-seems-to-end/and/another/one/inside/of/it",
    ],
  },
  2: {
    name: "青岛港务局 – 船舶调度与泊位查询服务（测试环境）",
    url: "https://a-really-long-subdomain-for-testing.internal.services.example-company.test/api/v2/organisations/harbour-authority/mcp?tenant=north&region=eu-west-1",
  },
};

/** The saved servers of a scene. */
export function serversOf(scene: Scene): ServerView[] {
  switch (scene) {
    case "empty":
    case "first_apps":
      return [];
    case "many":
      return many();
    case "long":
      return usual().map((server) => ({ ...server, ...long[server.id] }));
    case "offers":
    case "unread":
      return offers();
    case "servers_locked":
      return locked();
    case "servers_value_missing":
      return usualBut(3, (server) =>
        failed(3, { ...server, ...secret("env", "PGPASSWORD", false) }, failures.secret_missing, { attempt: 0 }),
      );
    case "servers_downloading":
      return usualBut(8, (server) => ({ ...server, startStep: "downloading", attempt: 0 }));
    case "servers_asleep":
      return usualBut(1, (server) => ({ ...server, start: "on_use", state: "asleep", pid: null, instances: [] }));
    case "install_none":
      return lacking("npx", "Node.js");
    default:
      return scene.startsWith("install") ? lacking("uvx", "uv") : usual();
  }
}
