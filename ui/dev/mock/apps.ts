// Other apps: connected, found, with a broken file, and connected manually.
import type { ImportPlace } from "@/ipc/bindings/ImportPlace";
import type { AppActivityView } from "@/ipc/bindings/AppActivityView";
import type { AppCost } from "@/ipc/bindings/AppCost";
import type { AppSnippetFormat } from "@/ipc/bindings/AppSnippetFormat";
import type { AppTokenView } from "@/ipc/bindings/AppTokenView";
import type { AppView } from "@/ipc/bindings/AppView";
import type { Args } from "./handlers";
import { toolsOf } from "./offers";
import { Part, refuse, type World } from "./part";
import { said } from "./say";
import type { Scene } from "./scenes";

const minute = 60_000;
const day = 24 * 60 * minute;
const program = "/usr/bin/mooring";

const app = (id: string, title: string, part: Partial<AppView> = {}): AppView => ({
  id,
  title,
  state: "found",
  file: `/home/ana/.${id}/mcp.json`,
  repository: null,
  problem: null,
  servers: [],
  level: "ask_here",
  chosenLevel: null,
  defaultLevel: "ask_here",
  asksPerson: false,
  toolList: "whole",
  longestName: null,
  defaultLongestName: 50,
  searchesTools: false,
  off: [],
  seesPrompts: true,
  seesResources: true,
  pinned: [],
  changed: false,
  recorded: false,
  connectedAt: null,
  usedAt: null,
  key: "none",
  allowed: false,
  ...part,
});
/** Connected this many days ago. */
const connected = (days: number, servers: AppView["servers"], part: Partial<AppView> = {}): Partial<AppView> => ({
  state: "connected",
  servers,
  recorded: true,
  connectedAt: Date.now() - days * day,
  key: "current",
  ...part,
});
const asks = { level: "app_asks", defaultLevel: "app_asks", asksPerson: true } as const;
const unlisted = { state: "unlisted", file: null } as const;
const own = (name: string) => ({ name, ours: false, here: false });
const unconnected = { state: "found", recorded: false, connectedAt: null, key: "none" } as const;
const sum = (costs: readonly { tokens: number }[]) => costs.reduce((total, { tokens }) => total + tokens, 0);
const ours = { name: "mooring", ours: true, here: false };

const absent: readonly AppView[] = [
  app("windsurf", "Windsurf", { state: "absent", file: "/home/ana/.codeium/windsurf/mcp_config.json" }),
  app("goose", "Goose", { state: "absent", file: "/home/ana/.config/goose/config.yaml" }),
];

const usualApps = (): AppView[] => [
  app("claude-code", "Claude Code", {
    ...asks,
    ...connected(3, [ours, own("github"), own("filesystem")], { usedAt: Date.now() - 4 * minute }),
    searchesTools: true,
    file: "/home/ana/.claude.json",
  }),
  app("cursor", "Cursor", { ...asks, servers: [own("lighthouse"), own("tides")] }),
  app("zed", "Zed", { ...asks, file: "/home/ana/.config/zed/settings.json" }),
  app("codex", "Codex", {
    state: "unreadable",
    file: "/home/ana/.codex/config.toml",
    problem: said("line {line} can’t be read: {why}", { line: "12", why: "expected a value" }),
  }),
  ...absent,
  app("pier-bot", "pier-bot", { ...unlisted, level: "read_only", chosenLevel: "read_only", usedAt: Date.now() - 2 * day, key: "current" }),
];

const entry = (id: string, key?: string) => `    "mooring": {
      "command": "${program}",
      "args": ["bridge", "--app", "${id}"]${key === undefined ? "" : `,\n      "env": { "MOORING_APP_KEY": "${key}" }`}
    }`;

/** The placeholder for a new key in a diff. */
const NOT_YET = "(made when you connect)";
/** The placeholder for an existing key in a diff. */
const HIDDEN = "mooring_key_…";

/** The diff of a file that has a comment and a server of its own. */
const fileDiff = (...lines: string[]) => `@@ -1,7 +1,12 @@
 {
   // for the port
   "mcpServers": {
${lines.join("\n")}
   },
   "theme": "dark"
 }
`;
const lighthouse = '    "lighthouse": {"command": "lighthouse-mcp"}';
const signed = (sign: string, text: string) => text.replaceAll(/^/gm, sign);
const added = (id: string, withKey: boolean) =>
  fileDiff(`-${lighthouse}`, `+${lighthouse},`, signed("+", entry(id, withKey ? NOT_YET : undefined)));
const removed = (id: string) => fileDiff(`-${lighthouse},`, signed("-", entry(id, NOT_YET)), `+${lighthouse}`);

/** The same diff, which also removes some of the app's own servers. */
const withoutOwn = (diff: string, names: readonly string[]) =>
  diff.replace(
    /^   },$/m,
    (end) => names.map((name) => `-    ${JSON.stringify(name)}: {"command": "npx", "env": {"TOKEN": "••••••"}},\n`).join("") + end,
  );

/** The diff of an existing entry: its key is added, replaced or removed. */
const entryDiff = (lengths: string, ...lines: string[]) => `@@ -4,${lengths} @@
     "mooring": {
       "command": "${program}",
${lines.join("\n")}
     }
   },
   "theme": "dark"
`;
const args = (id: string) => `      "args": ["bridge", "--app", "${id}"]`;
const env = (key: string) => `      "env": { "MOORING_APP_KEY": "${key}" }`;
const renewed = (id: string, keyed: boolean) =>
  keyed
    ? entryDiff("7 +4,7", ` ${args(id)},`, `-${env(HIDDEN)}`, `+${env(NOT_YET)}`)
    : entryDiff("6 +4,7", `-${args(id)}`, `+${args(id)},`, `+${env(NOT_YET)}`);
const takenOut = (id: string) => entryDiff("7 +4,6", `-${args(id)},`, `-${env(HIDDEN)}`, `+${args(id)}`);

/** The files of two apps, with a secret each. One server is in both, and one name means two different servers. */
const ownConfig = (id: string) =>
  id === "claude-code"
    ? `{"mcpServers": {
  "github": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-github"], "env": {"GITHUB_TOKEN": "value"}},
  "filesystem": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/ana/projects"]},
  "tides": {"command": "npx", "args": ["-y", "tides-mcp"]},
  "lighthouse": {"url": "https://lighthouse.example/mcp"}
}}`
    : `{"mcpServers": {
  "lighthouse": {"command": "lighthouse-mcp", "env": {"LIGHTHOUSE_TOKEN": "value"}},
  "tides": {"command": "npx", "args": ["-y", "tides-mcp"]}
}}`;

/** The servers in an app's file or a project's folder. */
export const configAt = (place: ImportPlace) => ownConfig("app" in place ? place.app : "cursor");

const snippets: Record<AppSnippetFormat, (id: string, key?: string) => string> = {
  json: (id, key) => `{\n  "mcpServers": {\n${entry(id, key)}\n  }\n}\n`,
  toml: (id, key) =>
    `[mcp_servers.mooring]\ncommand = "${program}"\nargs = ["bridge", "--app", "${id}"]\n${key === undefined ? "" : `env = { MOORING_APP_KEY = "${key}" }\n`}`,
  yaml: (id, key) =>
    `mcpServers:\n  mooring:\n    command: ${program}\n    args:\n      - bridge\n      - --app\n      - ${id}\n${key === undefined ? "" : `    env:\n      MOORING_APP_KEY: ${key}\n`}`,
  command_line: (id, key) => `${key === undefined ? "" : `MOORING_APP_KEY=${key} `}${program} bridge --app ${id}`,
};

/** Changes of apps, by scene and app. */
const differences: Partial<Record<Scene, () => Record<string, Partial<AppView>>>> = {
  first_apps: () => ({
    "claude-code": { ...connected(0, ["github", "filesystem", "tides", "lighthouse"].map(own)), ...unconnected, usedAt: null },
  }),
  apps_changed: () => ({ "claude-code": { changed: true, level: "ask_here" } }),
  apps_limited: () => ({
    // One app gets a search and two tools, another gets neither prompts nor resources.
    "claude-code": {
      toolList: "search",
      pinned: ["query", "explain"].map((tool) => ({ server: 3, tool })),
      off: [{ server: 3, tool: "drop_table" }],
    },
    "pier-bot": { seesPrompts: false, seesResources: false },
  }),
  apps_renew: () => ({
    cursor: connected(9, [own("lighthouse"), own("tides"), ours], { key: "renew" }),
    zed: connected(2, [ours], { key: "refused" }),
    codex: connected(30, [ours], {
      state: "broken",
      problem: said("its entry starts {program}, which is gone", { program: "/opt/mooring-0.9/mooring" }),
    }),
  }),
  apps_sealed: () => ({ "claude-code": { key: "sealed" } }),
  apps_keyless: () => ({ "pier-bot": { key: "none", allowed: true } }),
};

function appsOf(scene: Scene): AppView[] {
  if (scene === "empty") return [...absent];
  const repository = scene === "apps_in_repository" ? "/home/ana/dotfiles" : null;
  const different = differences[scene]?.();
  const all = usualApps().map((one) => ({ ...one, ...different?.[one.id], repository }));
  if (scene === "first_apps") return all.filter(({ state }) => state !== "unlisted");
  return scene === "apps_keyless" ? [...all, app("gull", "gull", unlisted)] : all;
}

const running = (): AppActivityView => ({
  app: "claude-code",
  connections: 2,
  listedAt: Date.now() - 60_000,
  calledAt: Date.now() - 12_400,
  calls: [
    { call: 41, serverId: 2, method: "tools/call", subject: "create_issue", startedAt: Date.now() - 12_400 },
    {
      call: 42,
      serverId: 1,
      method: "resources/read",
      subject: "file:///home/ana/projects/harbour/lamps.csv",
      startedAt: Date.now() - 2_000,
    },
  ],
});

export class Apps extends Part {
  private apps = appsOf(this.scene);
  /** Sent commands, for tests. */
  readonly sent = this.host.sent;
  private readonly tokens = new Map<string, AppTokenView>();
  private made = 0;
  private active = this.scene === "apps_running" ? [running()] : [];

  constructor(host: World) {
    super(host);
    const vouched = this.scene !== "apps_keyless";
    if (this.scene !== "empty") this.tokens.set("pier-bot", { createdAt: Date.now() - 5 * day, usedAt: Date.now() - 2 * day, vouched });
  }

  /** The app lists the tools, or calls one. */
  does(app: string, what: "lists" | "calls"): void {
    const before = this.active.find((one) => one.app === app) ?? { app, connections: 1, listedAt: null, calledAt: null, calls: [] };
    const now = { ...before, ...(what === "lists" ? { listedAt: Date.now() } : { calledAt: Date.now() }) };
    this.active = [...this.active.filter((one) => one.app !== app), now];
    this.host.tell({ kind: "app_activity" });
  }

  private find(id: string): AppView {
    return this.apps.find((one) => one.id === id) ?? refuse("internal", `no such app: ${id}`);
  }

  private change(id: string, part: Partial<AppView>): null {
    this.apps = this.apps.map((one) => (one.id === id ? { ...one, ...part } : one));
    this.host.tell({ kind: "apps" });
    return null;
  }

  setLevel({ id, level }: Args<"set_app_level">): null {
    return this.change(id, { level: level ?? this.find(id).defaultLevel, chosenLevel: level, changed: false });
  }

  setOff({ id, off }: Args<"set_app_off">): null {
    return this.change(id, { off, changed: false });
  }

  /** The vault was opened, so keys can be verified. */
  unseal(): void {
    for (const { id, key } of this.apps) if (key === "sealed") this.change(id, { key: "current" });
  }

  list_apps = async () => {
    const here = (name: string) => this.host.servers.some((server) => server.name === name);
    return this.apps.map((one) => ({ ...one, servers: one.servers.map((server) => ({ ...server, here: here(server.name) })) }));
  };
  app_activity = async () => this.active;
  cancel_app_call = async ({ call }: Args<"cancel_app_call">) => {
    this.active = this.active.map((one) => ({ ...one, calls: one.calls.filter((known) => known.call !== call) }));
    return true;
  };

  plan_connect_app = async ({ id, replaces }: Args<"plan_connect_app">) => {
    const { file, state, key, repository } = this.find(id);
    const isShared = repository !== null;
    const diff = state !== "connected" ? added(id, !isShared) : isShared ? takenOut(id) : renewed(id, key === "current");
    const hash = replaces.length === 0 ? "shown" : `without ${replaces.join(" ")}`;
    return { file: file ?? "", diff: withoutOwn(diff, replaces), hash, backup: true, repository };
  };
  connect_app = async ({ id, replaces }: Args<"connect_app">) => {
    // Another program has changed the file since the diff was shown.
    if (this.scene === "apps_outdated") refuse("app_file_changed", said("the file has changed since the change was planned"));
    const { servers, repository } = this.find(id);
    const others = servers.filter((server) => !server.ours && !replaces.includes(server.name));
    this.change(id, { ...connected(0, [...others, ours], { key: repository === null ? "current" : "none" }), problem: null });
    return this.find(id);
  };
  plan_disconnect_app = async ({ id }: Args<"plan_disconnect_app">) => {
    return { file: this.find(id).file ?? "", diff: removed(id), hash: "shown", outcome: "restored" as const, lost: [] };
  };
  disconnect_app = async ({ id }: Args<"disconnect_app">) => {
    this.change(id, { ...unconnected, servers: this.find(id).servers.filter((server) => !server.ours) });
    return "restored" as const;
  };

  /** About four bytes of a definition are a token. */
  app_cost = async ({ id }: Args<"app_cost">): Promise<AppCost> => {
    const { off, toolList, pinned } = this.find(id);
    const has = (list: readonly { server: number; tool: string | null }[], server: number, tool: string | null) =>
      list.some((one) => one.server === server && one.tool === tool);
    const running = this.host.servers.filter(({ state }) => state === "ready" || state === "degraded");
    const servers = running.map(({ id: server, name, toolCount, instructions: text }) => {
      const hidden = has(off, server, null);
      const all = toolsOf(name, toolCount ?? 0).tools;
      const approved = this.scene === "apps_unapproved" ? all.slice(0, { filesystem: 2, weather: 0 }[name]) : all;
      const tools = approved.map((tool) => ({ name: tool.name, tokens: Math.ceil(JSON.stringify(tool).length / 4) }));
      const instructions = hidden ? 0 : Math.ceil((text ?? "").length / 4);
      const seen = tools.filter((tool) => !hidden && !has(off, server, tool.name));
      return { server, tokens: sum([{ tokens: instructions }, ...seen]), instructions, tools };
    });
    const search = [
      ...servers.map(({ instructions }) => ({ tokens: instructions })),
      ...servers.flatMap(({ server, tools }) => tools.filter(({ name }) => has(pinned, server, name))),
    ];
    const isSearched = toolList === "search";
    return {
      tokenizer: "o200k_base",
      tokens: isSearched ? sum(search) + 412 : sum(servers),
      withoutSearch: isSearched ? sum(servers) : null,
      servers: servers.filter(({ tools, instructions }) => tools.length > 0 || instructions > 0),
    };
  };

  set_app_level = async (args: Args<"set_app_level">) => this.setLevel(args);
  set_app_off = async (args: Args<"set_app_off">) => this.setOff(args);
  set_app_offers = async ({ id, prompts, resources }: Args<"set_app_offers">) =>
    this.change(id, { seesPrompts: prompts, seesResources: resources });
  set_app_pinned = async ({ id, pinned }: Args<"set_app_pinned">) => this.change(id, { pinned });
  set_app_longest_name = async ({ id, longest }: Args<"set_app_longest_name">) => this.change(id, { longestName: longest });
  set_app_tool_list = async ({ id, toolList }: Args<"set_app_tool_list">) => this.change(id, { toolList });

  get_app_token = async ({ id }: Args<"get_app_token">) => this.tokens.get(id) ?? null;
  create_app_token = async ({ id }: Args<"create_app_token">) => {
    this.tokens.set(id, { createdAt: Date.now(), usedAt: null, vouched: true });
    this.change(id, {});
    return `mooring_${"0f3a9c5e7b1d2846".repeat(3)}${(this.made += 1)}`;
  };
  revoke_app_token = async ({ id }: Args<"revoke_app_token">) => {
    this.tokens.delete(id);
    return this.change(id, {});
  };

  app_snippet = async ({ id, format }: Args<"app_snippet">) => snippets[format](id);
  /** Creates a key manually, in an entry. Only a known app can have its title. */
  create_app_entry = async ({ id, format }: Args<"create_app_entry">) => {
    const known = this.apps.some((one) => one.id === id);
    const taken = known ? undefined : this.apps.find(({ title }) => title.toLowerCase() === id.toLowerCase());
    if (taken) {
      const names = { app: taken.title, id: taken.id };
      const message = said("{app} isn’t connected: connect it in Mooring under Apps, or with `mooring connect {id}`", names);
      refuse("invalid_setting", message, { field: "app" });
    }
    if (!known) this.apps = [...this.apps, app(id, id, unlisted)];
    this.change(id, { key: "current", allowed: false });
    return snippets[format](id, `mooring_app_${"7c2e94b1d80f3a65".repeat(2)}${(this.made += 1)}`);
  };
  remove_app_key = async ({ id }: Args<"remove_app_key">) => this.change(id, { key: "none", allowed: false });
}
