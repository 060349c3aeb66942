// Saved servers as they look on a working day: nearly all states, local and remote, good and odd.
import type { Failure } from "@/ipc/bindings/Failure";
import type { InstanceView } from "@/ipc/bindings/InstanceView";
import type { ServerInput } from "@/ipc/bindings/ServerInput";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { iconsOf, namesIcons } from "./icons";
import { fallback, limits, modern, older, session } from "./negotiation";
import { toolsOf } from "./offers";
import { failures, harbour } from "./recorded";
import { said, say } from "./say";
import type { Scene } from "./scenes";

const minute = 60_000;

/** What a form would save for a local server. */
export function stdio(name: string, command: string, ...args: string[]): ServerInput {
  return { name, transport: "stdio", command, args, env: {}, cwd: null, url: null, headers: {}, timeoutMs: null, era: "auto", secrets: [] };
}

/** What a form would save for a remote server. */
export function http(name: string, url: string, headers: Record<string, string> = {}): ServerInput {
  return { name, transport: "http", command: null, args: [], env: {}, cwd: null, url, headers, timeoutMs: null, era: "auto", secrets: [] };
}

/** A saved server that nobody has started. */
export function stopped(id: number, input: ServerInput): ServerView {
  return {
    ...input,
    id,
    state: "stopped",
    startStep: null,
    changed: false,
    review: { approved: 0, approvedTools: 0, new: 0, changed: 0, blocked: false },
    namesIcons: namesIcons(input.name),
    loadsIcons: false,
    instanceRule: "automatic",
    asksForRoots: false,
    asksApps: false,
    instances: [],
    singleUser: null,
    since: Date.now() - 12 * minute,
    failure: null,
    attempt: 0,
    icons: iconsOf(input.name),
    serverName: null,
    serverTitle: null,
    serverVersion: null,
    revision: null,
    negotiatedEra: null,
    reason: null,
    instructions: null,
    capabilities: null,
    diagnostics: [],
    toolCount: null,
    resourceCount: null,
    promptCount: null,
    steps: [],
    limits: [],
    connectMs: null,
    callTimes: null,
    calls: 0,
    pid: null,
    programPath: null,
    stderrTail: [],
  };
}

/** The same server after a good start. */
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

/** A process of its own for an app, or for who has the same folders. */
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

/** A working day. */
function usual(): ServerView[] {
  const filesystem = ready(
    stopped(1, {
      ...stdio("filesystem", "npx", "-y", "@modelcontextprotocol/server-filesystem", "/home/ana/projects"),
      env: { LOG_LEVEL: "info" },
    }),
    14,
    4,
  );
  const github = ready(
    stopped(
      2,
      http("github", "https://api.githubcopilot.com/mcp/", {
        Authorization: "Bearer ghp_example0123456789",
        "X-MCP-Toolsets": "repos,issues",
      }),
    ),
    41,
    212,
  );
  const postgres = ready(
    stopped(3, {
      ...stdio("postgres-prod", "uvx", "mcp-server-postgres", "--read-only"),
      secrets: [{ place: "env", name: "PGPASSWORD", value: null, entered: true }],
      env: { DATABASE_URL: "postgres://reader:hunter2@db.acme.test/app", PGCONNECT_TIMEOUT: "5" },
    }),
    6,
    18,
  );
  const docs = ready(
    stopped(5, {
      ...http("docs-search", "https://docs.acme.test/mcp"),
      secrets: [{ place: "header", name: "X-Harbour-Key", value: null, entered: true }],
    }),
    3,
    1_904,
  );
  const weather = ready(
    stopped(6, {
      ...stdio("weather", "node", "/home/ana/src/weather/dist/index.js"),
      secrets: [{ place: "env", name: "WEATHER_API_KEY", value: null, entered: false }],
    }),
    2,
    9,
  );
  const git = stopped(8, stdio("git", "uvx", "mcp-server-git", "--repository", "/home/ana/projects/harbour"));
  return [
    { ...filesystem, serverName: "secure-filesystem-server", instructions, asksForRoots: true, instances },
    {
      ...github,
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
      ...postgres,
      ...older,
      singleUser: "database",
      instanceRule: "per_app",
      instances: [instance(1, { app: "pier-bot", state: "failed", failure: failures.exited, pid: null })],
    },
    { ...stopped(4, http("linear", "https://mcp.linear.app/mcp")), state: "sign_in_needed", attempt: 1, failure: failures.sign_in },
    {
      ...docs,
      state: "degraded",
      ...older,
      diagnostics: [{ code: "wrong_type", path: "tools[3]", message: say("not an object: null") }],
      instructions: "Search first, then fetch. \u202Etxt.exe\u202C is not a document. Ask for at most 20 results.",
      failure: {
        code: "handshake",
        message: say("1 of 4 tools could not be read"),
        next: say("The three good tools work. The author can fix the fourth."),
        evidence: '{"tools":[{"name":"search"},{"name":"fetch"},{"name":"list"},null]}',
      },
    },
    { ...weather, changed: true },
    { ...stopped(7, http("figma-dev", "http://127.0.0.1:3845/mcp")), state: "failed", attempt: 5, failure: failures.refused },
    {
      ...git,
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

/** The same at the start of a day: what has secrets waits for the vault. */
function locked(): ServerView[] {
  const failure: Failure = {
    code: "vault_locked",
    message: said("your secrets wait for the passphrase"),
    next: said("{step} The server starts by itself once the vault is open.", { step: "Enter the passphrase." }),
    evidence: null,
  };
  const waits = (server: ServerView) => server.secrets.some((secret) => secret.entered);
  return usual().map((server) => (waits(server) ? { ...stopped(server.id, server), state: "locked", failure } : server));
}

/** The same where a program is missing. */
function lacking(command: string): ServerView[] {
  const failure: Failure = {
    code: "command_not_found",
    message: said("{name} wasn’t found in the {count} folders of {whose}", {
      name: command,
      count: "2",
      whose: said("your login shell’s PATH"),
    }),
    next: said("Install {package}, or give the full path.", { package: command === "uvx" ? "uv" : "Node.js" }),
    evidence: "/usr/local/bin\n/usr/bin",
  };
  return usual().map((server) =>
    server.name === "git" ? { ...stopped(server.id, { ...server, command }), state: "failed", attempt: 1, failure } : server,
  );
}

/** A demo server with everything an offer can be, and neighbours of every era. */
function offers(): ServerView[] {
  const demo = {
    ...ready(stopped(10, stdio("demo", "mooring-demo-server")), toolsOf("demo", 0).tools.length, 3),
    ...session,
    serverName: harbour.server.serverName,
    serverTitle: harbour.server.serverTitle,
    serverVersion: harbour.server.serverVersion,
    capabilities: harbour.server.capabilities,
    diagnostics: [...harbour.server.diagnostics, ...harbour.resources.diagnostics],
    limits,
    instructions,
  };
  const rest = usual();
  const of = (name: string) => rest.find((server) => server.name === name) ?? demo;
  return [
    demo,
    { ...of("postgres-prod"), ...session },
    { ...of("filesystem"), ...session },
    { ...of("docs-search"), ...fallback, capabilities: '{"tools":{}}' },
    {
      ...of("github"),
      ...modern,
      state: "ready",
      capabilities: '{"tools":{"listChanged":true},"extensions":{"io.modelcontextprotocol/tasks":{}}}',
    },
    of("figma-dev"),
    stopped(6, stdio("weather", "node", "/home/ana/src/weather/dist/index.js")),
  ];
}

/** Forty servers, most of them fine. */
function many(): ServerView[] {
  const words = ["atlas", "beacon", "cargo", "dock", "estuary", "fathom", "gangway", "harbour", "inlet", "jetty"];
  const own = usual();
  const more = Array.from({ length: 30 }, (_, index) => {
    const id = 100 + index;
    const name = `${words[index % words.length] ?? "pier"}-${Math.floor(index / words.length) + 1}`;
    const server = stopped(id, index % 3 === 0 ? http(name, `https://${name}.acme.test/mcp`) : stdio(name, "npx", "-y", `@acme/${name}`));
    return index % 7 === 6 ? server : ready(server, (index * 7) % 60, index % 4 === 0 ? null : 3 + index * 11);
  });
  return [...own, ...more];
}

/** Names and texts that do not fit. */
function long(): ServerView[] {
  const [first, second, ...rest] = usual();
  if (!first || !second) return [];
  return [
    {
      ...first,
      name: "the-filesystem-of-the-build-machine-in-the-basement-of-the-old-harbour-office",
      args: [
        "-y",
        "@modelcontextprotocol/server-filesystem@2025.11.25-rc.4+build.20251103",
        "/home/ana/projects/a-very-long-directory-name-that-never-seems-to-end/and/another/one/inside/of/it",
      ],
    },
    {
      ...second,
      name: "青岛港务局 – 船舶调度与泊位查询服务（测试环境）",
      url: "https://a-really-long-subdomain-for-testing.internal.services.example-company.test/api/v2/organisations/harbour-authority/mcp?tenant=north&region=eu-west-1",
    },
    ...rest,
  ];
}

/** A server that can't start before the person enters a value, beside one that changed. */
function missing(): ServerView[] {
  return usual().map((server) =>
    server.id === 3
      ? {
          ...stopped(server.id, server),
          secrets: server.secrets.map((secret) => ({ ...secret, entered: false })),
          state: "failed",
          failure: failures.secret_missing,
        }
      : server,
  );
}

/** The saved servers of a scene. */
export function serversOf(scene: Scene): ServerView[] {
  if (scene === "empty" || scene === "first_apps") return [];
  if (scene === "many") return many();
  if (scene === "long") return long();
  if (scene === "offers" || scene === "unread") return offers();
  if (scene === "servers_locked") return locked();
  if (scene === "servers_value_missing") return missing();
  if (scene === "servers_downloading")
    return usual().map((server) => (server.state === "starting" ? { ...server, startStep: "downloading", attempt: 0 } : server));
  if (scene.startsWith("install")) return lacking(scene === "install_none" ? "npx" : "uvx");
  return usual();
}
