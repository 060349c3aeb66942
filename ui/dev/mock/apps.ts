// Other apps: one connected, some that could be, one whose file is broken, one that was connected by hand.
import type { AppActivityView } from "@/ipc/bindings/AppActivityView";
import type { AppCost } from "@/ipc/bindings/AppCost";
import type { AppPlan } from "@/ipc/bindings/AppPlan";
import type { AppSnippetFormat } from "@/ipc/bindings/AppSnippetFormat";
import type { AppTokenView } from "@/ipc/bindings/AppTokenView";
import type { AppUndo } from "@/ipc/bindings/AppUndo";
import type { AppView } from "@/ipc/bindings/AppView";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { Args } from "./handlers";
import { toolsOf } from "./offers";
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
const asks = { level: "app_asks", defaultLevel: "app_asks", asksPerson: true } as const;
const own = (name: string) => ({ name, ours: false, here: false });
const ours = { name: "mooring", ours: true, here: false };

const absent: readonly AppView[] = [
  app("windsurf", "Windsurf", { state: "absent", file: "/home/ana/.codeium/windsurf/mcp_config.json" }),
  app("goose", "Goose", { state: "absent", file: "/home/ana/.config/goose/config.yaml" }),
];

function usualApps(): AppView[] {
  const now = Date.now();
  return [
    app("claude-code", "Claude Code", {
      ...asks,
      searchesTools: true,
      state: "connected",
      file: "/home/ana/.claude.json",
      servers: [ours, own("github"), own("filesystem")],
      recorded: true,
      connectedAt: now - 3 * day,
      usedAt: now - 4 * minute,
      key: "current",
    }),
    app("cursor", "Cursor", { ...asks, servers: [own("lighthouse"), own("tides")] }),
    app("zed", "Zed", { ...asks, file: "/home/ana/.config/zed/settings.json" }),
    app("codex", "Codex", {
      state: "unreadable",
      file: "/home/ana/.codex/config.toml",
      problem: said("line {line} can’t be read: {why}", { line: "12", why: "expected a value" }),
    }),
    ...absent,
    app("pier-bot", "pier-bot", {
      state: "unlisted",
      file: null,
      level: "read_only",
      chosenLevel: "read_only",
      usedAt: now - 2 * day,
      key: "current",
    }),
  ];
}

/** Apps that get less: one a search with two tools beside it, one neither prompts nor resources. */
const limits: Record<string, Partial<AppView>> = {
  "claude-code": {
    toolList: "search",
    pinned: ["query", "explain"].map((tool) => ({ server: 3, tool })),
    off: [{ server: 3, tool: "drop_table" }],
  },
  "pier-bot": { seesPrompts: false, seesResources: false },
};

const entry = (id: string, key?: string) => `    "mooring": {
      "command": "${program}",
      "args": ["bridge", "--app", "${id}"]${key === undefined ? "" : `,\n      "env": { "MOORING_APP_KEY": "${key}" }`}
    }`;

/** What stands in a change that is shown: the key isn't there yet. */
const NOT_YET = "(made when you connect)";
/** And the one that is there isn’t shown. */
const HIDDEN = "mooring_key_…";

/** The change of a file that has a comment and a server of its own. */
const added = (id: string, withKey = true) => `@@ -1,7 +1,12 @@
 {
   // for the port
   "mcpServers": {
-    "lighthouse": {"command": "lighthouse-mcp"}
+    "lighthouse": {"command": "lighthouse-mcp"},
${entry(id, withKey ? NOT_YET : undefined)
  .split("\n")
  .map((line) => `+${line}`)
  .join("\n")}
   },
   "theme": "dark"
 }
`;

/** The same change, in which servers of the app's own go. */
const withoutOwn = (diff: string, names: readonly string[]) =>
  diff.replace(
    /^   },$/m,
    (end) => names.map((name) => `-    ${JSON.stringify(name)}: {"command": "npx", "env": {"TOKEN": "••••••"}},\n`).join("") + end,
  );

/** The change of a file whose entry gets a key, or another one. */
const renewed = (id: string, keyed: boolean) => `@@ -4,${keyed ? 7 : 6} +4,7 @@
     "mooring": {
       "command": "${program}",
${
  keyed
    ? `       "args": ["bridge", "--app", "${id}"],
-      "env": { "MOORING_APP_KEY": "${HIDDEN}" }`
    : `-      "args": ["bridge", "--app", "${id}"]
+      "args": ["bridge", "--app", "${id}"],`
}
+      "env": { "MOORING_APP_KEY": "${NOT_YET}" }
     }
   },
   "theme": "dark"
`;

/** The change of a file whose entry loses its key. */
const takenOut = (id: string) => `@@ -4,7 +4,6 @@
     "mooring": {
       "command": "${program}",
-      "args": ["bridge", "--app", "${id}"],
-      "env": { "MOORING_APP_KEY": "${HIDDEN}" }
+      "args": ["bridge", "--app", "${id}"]
     }
   },
   "theme": "dark"
`;

/** The change that undoes this one: what goes stands before what comes. */
const reversed = (diff: string) => {
  const opposite = (line: string) => (line.startsWith("+") ? `-${line.slice(1)}` : `+${line.slice(1)}`);
  return diff.replaceAll(/(?:^[+-].*\n)+/gm, (lines) => lines.trimEnd().split("\n").map(opposite).toSorted(removedFirst).join("\n") + "\n");
};
const removedFirst = (a: string, b: string) => Number(a.startsWith("+")) - Number(b.startsWith("+"));

/** The files of two apps, with a secret each. They have one server together, and one name for two others. */
export const ownConfig = (id: string) =>
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

/** Nothing is connected yet, and two apps have servers. */
const firstApps = (all: AppView[]): AppView[] =>
  all.flatMap((one): AppView[] => {
    if (one.id !== "claude-code") return one.state === "unlisted" ? [] : [one];
    const servers = ["github", "filesystem", "tides", "lighthouse"].map(own);
    return [{ ...one, state: "found", servers, recorded: false, connectedAt: null, usedAt: null, key: "none" }];
  });

const snippets: Record<AppSnippetFormat, (id: string, key?: string) => string> = {
  json: (id, key) => `{\n  "mcpServers": {\n${entry(id, key)}\n  }\n}\n`,
  toml: (id, key) =>
    `[mcp_servers.mooring]\ncommand = "${program}"\nargs = ["bridge", "--app", "${id}"]\n${key === undefined ? "" : `env = { MOORING_APP_KEY = "${key}" }\n`}`,
  yaml: (id, key) =>
    `mcpServers:\n  mooring:\n    command: ${program}\n    args:\n      - bridge\n      - --app\n      - ${id}\n${key === undefined ? "" : `    env:\n      MOORING_APP_KEY: ${key}\n`}`,
  command_line: (id, key) => `${key === undefined ? "" : `MOORING_APP_KEY=${key} `}${program} bridge --app ${id}`,
};

/** Apps without a valid key. */
const withoutKey: Partial<Record<Scene, Record<string, Partial<AppView>>>> = {
  apps_renew: {
    cursor: {
      state: "connected",
      servers: [own("lighthouse"), own("tides"), ours],
      recorded: true,
      connectedAt: Date.now() - 9 * day,
      key: "renew",
    },
    zed: { state: "connected", servers: [ours], recorded: true, connectedAt: Date.now() - 2 * day, key: "refused" },
    codex: {
      state: "broken",
      problem: said("its entry starts {program}, which is gone", { program: "/opt/mooring-0.9/mooring" }),
      servers: [ours],
      recorded: true,
      connectedAt: Date.now() - 30 * day,
      key: "current",
    },
  },
  apps_sealed: { "claude-code": { key: "sealed" } },
  apps_keyless: { "pier-bot": { key: "none", allowed: true } },
};

export class Apps {
  private apps: AppView[];
  /** What was connected and set, for tests. */
  readonly sent: { name: string; args: unknown }[] = [];
  private readonly tokens = new Map<string, AppTokenView>();
  private made = 0;
  private running: AppActivityView[] = [
    {
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
    },
  ];
  private readonly did = new Map<string, AppActivityView>();
  private readonly scene: Scene;
  /** The Git repository that apps' files are in. */
  private readonly repository: string | null;
  private readonly tell: () => void;

  constructor(scene: Scene, tell: () => void) {
    this.scene = scene;
    this.repository = scene === "apps_in_repository" ? "/home/ana/dotfiles" : null;
    this.tell = tell;
    if (scene !== "empty")
      this.tokens.set("pier-bot", { createdAt: Date.now() - 5 * day, usedAt: Date.now() - 2 * day, vouched: scene !== "apps_keyless" });
    this.apps = scene === "empty" ? [...absent] : usualApps();
    if (scene === "first_apps") this.apps = firstApps(this.apps);
    if (scene === "apps_changed")
      this.apps = this.apps.map((one) => (one.id === "claude-code" ? { ...one, changed: true, level: "ask_here" } : one));
    this.apps = this.apps.map((one) => ({ ...one, ...withoutKey[scene]?.[one.id], repository: this.repository }));
    if (scene === "apps_keyless") this.apps.push(app("gull", "gull", { state: "unlisted", file: null }));
    if (scene === "apps_limited") this.apps = this.apps.map((one) => ({ ...one, ...limits[one.id] }));
  }

  list(saved: readonly ServerView[]): AppView[] {
    const here = (name: string) => saved.some((server) => server.name === name);
    return this.apps.map((one) => ({ ...one, servers: one.servers.map((server) => ({ ...server, here: here(server.name) })) }));
  }

  activity(): AppActivityView[] {
    return this.scene === "apps_running" ? this.running : [...this.did.values()];
  }

  /** The app gets the list of tools, or calls one. */
  does(app: string, what: "lists" | "calls"): void {
    const before = this.did.get(app) ?? { app, connections: 1, listedAt: null, calledAt: null, calls: [] };
    this.did.set(app, { ...before, ...(what === "lists" ? { listedAt: Date.now() } : { calledAt: Date.now() }) });
  }

  cancelCall(call: number): boolean {
    this.sent.push({ name: "cancel_app_call", args: { call } });
    const runs = this.running.some((one) => one.calls.some((running) => running.call === call));
    this.running = this.running.map((one) => ({ ...one, calls: one.calls.filter((running) => running.call !== call) }));
    return runs;
  }

  private find(id: string): AppView {
    const found = this.apps.find((one) => one.id === id);
    if (!found) throw new Error(`no such app: ${id}`);
    return found;
  }

  private change(id: string, part: Partial<AppView>): AppView {
    const next = { ...this.find(id), ...part };
    this.apps = this.apps.map((one) => (one.id === id ? next : one));
    this.tell();
    return next;
  }

  plan({ id, replaces }: Args<"plan_connect_app">): AppPlan {
    const { file, state, key } = this.find(id);
    const isShared = this.repository !== null;
    const next = () => (isShared ? takenOut(id) : renewed(id, key === "current"));
    const diff = state === "connected" ? next() : added(id, !isShared);
    const hash = replaces.length === 0 ? "shown" : `without ${replaces.join(" ")}`;
    return { file: file ?? "", diff: withoutOwn(diff, replaces), hash, backup: true, repository: this.repository };
  }

  connect(args: Args<"connect_app">): AppView {
    const { id } = args;
    this.sent.push({ name: "connect_app", args });
    // Another program has changed the file between the look and the press.
    if (this.scene === "apps_outdated")
      throw { code: "app_file_changed", message: said("the file has changed since the change was planned"), details: null };
    const servers = this.find(id).servers.filter((server) => !server.ours && !args.replaces.includes(server.name));
    return this.change(id, {
      state: "connected",
      problem: null,
      recorded: true,
      connectedAt: Date.now(),
      servers: [...servers, ours],
      key: this.repository === null ? "current" : "none",
    });
  }

  undo(id: string): AppUndo {
    return { file: this.find(id).file ?? "", diff: reversed(added(id)), hash: "shown", outcome: "restored", lost: [] };
  }

  disconnect(id: string): "restored" {
    const servers = this.find(id).servers.filter((server) => !server.ours);
    this.change(id, { state: "found", recorded: false, connectedAt: null, servers, key: "none" });
    return "restored";
  }

  /** About four bytes of a definition are a token. */
  cost(id: string, saved: readonly ServerView[]): AppCost {
    const { off } = this.find(id);
    const isOff = (server: number, tool: string | null) => off.some((one) => one.server === server && one.tool === tool);
    const running = saved.filter(({ state }) => state === "ready" || state === "degraded");
    const costs = running.map(({ id: server, name, toolCount, instructions }) => {
      const hidden = isOff(server, null);
      const all = toolsOf(name, toolCount ?? 0).tools;
      const approved = this.scene === "apps_unapproved" ? all.slice(0, { filesystem: 2, weather: 0 }[name]) : all;
      const tools = approved.map((tool) => ({ name: tool.name, tokens: Math.ceil(JSON.stringify(tool).length / 4) }));
      const seen = hidden ? [] : tools.filter((tool) => !isOff(server, tool.name));
      const ofInstructions = hidden || instructions === null ? 0 : Math.ceil(instructions.length / 4);
      const tokens = seen.reduce((sum, tool) => sum + tool.tokens, ofInstructions);
      return { server, tokens, instructions: ofInstructions, tools };
    });
    const whole = costs.reduce((sum, { tokens }) => sum + tokens, 0);
    const instructions = costs.reduce((sum, cost) => sum + cost.instructions, 0);
    const { toolList, pinned } = this.find(id);
    const isSearched = toolList === "search";
    const isPinned = (server: number, tool: string) => pinned.some((pin) => pin.server === server && pin.tool === tool);
    const beside = costs.flatMap(({ server, tools }) => tools.filter(({ name }) => isPinned(server, name)));
    return {
      tokenizer: "o200k_base",
      tokens: isSearched ? beside.reduce((sum, { tokens }) => sum + tokens, instructions + 412) : whole,
      withoutSearch: isSearched ? whole : null,
      servers: costs.filter(({ tools, instructions: own }) => tools.length > 0 || own > 0),
    };
  }

  set(args: Args<"set_app">): null {
    const { id, level, off } = args;
    this.sent.push({ name: "set_app", args });
    const { defaultLevel } = this.find(id);
    this.change(id, { level: level ?? defaultLevel, chosenLevel: level, off, changed: false });
    return null;
  }

  setOffers(args: Args<"set_app_offers">): null {
    this.sent.push({ name: "set_app_offers", args });
    this.change(args.id, { seesPrompts: args.prompts, seesResources: args.resources });
    return null;
  }

  setPinned(args: Args<"set_app_pinned">): null {
    this.sent.push({ name: "set_app_pinned", args });
    this.change(args.id, { pinned: args.pinned });
    return null;
  }

  setLongestName(args: Args<"set_app_longest_name">): null {
    this.sent.push({ name: "set_app_longest_name", args });
    this.change(args.id, { longestName: args.longest });
    return null;
  }

  setToolList(args: Args<"set_app_tool_list">): null {
    this.sent.push({ name: "set_app_tool_list", args });
    this.change(args.id, { toolList: args.toolList });
    return null;
  }

  token(id: string): AppTokenView | null {
    return this.tokens.get(id) ?? null;
  }

  createToken(args: Args<"create_app_token">): string {
    this.sent.push({ name: "create_app_token", args });
    this.made += 1;
    this.tokens.set(args.id, { createdAt: Date.now(), usedAt: null, vouched: true });
    this.tell();
    return `mooring_${"0f3a9c5e7b1d2846".repeat(3)}${this.made}`;
  }

  revokeToken(args: Args<"revoke_app_token">): null {
    this.sent.push({ name: "revoke_app_token", args });
    this.tokens.delete(args.id);
    this.tell();
    return null;
  }

  snippet(id: string, format: AppSnippetFormat): string {
    return snippets[format](id);
  }

  /** A key that is made by hand, in its entry. No other app can have a known app's title. */
  createEntry(args: Args<"create_app_entry">): string {
    const { id, format } = args;
    this.sent.push({ name: "create_app_entry", args });
    const known = this.apps.some((one) => one.id === id);
    const taken = known ? undefined : this.apps.find(({ title }) => title.toLowerCase() === id.toLowerCase());
    if (taken)
      throw {
        code: "invalid_setting",
        message: said("{app} isn’t connected: connect it in Mooring under Apps, or with `mooring connect {id}`", {
          app: taken.title,
          id: taken.id,
        }),
        details: { field: "app" },
      };
    if (!known) this.apps = [...this.apps, app(id, id, { state: "unlisted", file: null })];
    this.change(id, { key: "current", allowed: false });
    this.made += 1;
    return snippets[format](id, `mooring_app_${"7c2e94b1d80f3a65".repeat(2)}${this.made}`);
  }

  removeKey(args: Args<"remove_app_key">): null {
    this.sent.push({ name: "remove_app_key", args });
    this.change(args.id, { key: "none", allowed: false });
    return null;
  }

  /** The vault was opened: keys can be checked. */
  unseal(): void {
    this.apps = this.apps.map((one) => (one.key === "sealed" ? { ...one, key: "current" } : one));
    this.tell();
  }
}
