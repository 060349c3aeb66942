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
  problem: null,
  servers: [],
  level: "ask_here",
  chosenLevel: null,
  defaultLevel: "ask_here",
  asksPerson: false,
  toolList: "whole",
  searchesTools: false,
  off: [],
  seesPrompts: true,
  seesResources: true,
  pinned: [],
  changed: false,
  recorded: false,
  connectedAt: null,
  usedAt: null,
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
    }),
    app("cursor", "Cursor", { ...asks, servers: [own("lighthouse"), own("tides")] }),
    app("zed", "Zed", { ...asks, file: "/home/ana/.config/zed/settings.json" }),
    app("codex", "Codex", {
      state: "unreadable",
      file: "/home/ana/.codex/config.toml",
      problem: said("line {line} can’t be read: {why}", { line: "12", why: "expected a value" }),
    }),
    ...absent,
    app("pier-bot", "pier-bot", { state: "unlisted", file: null, level: "read_only", chosenLevel: "read_only", usedAt: now - 2 * day }),
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

const entry = (id: string) => `    "mooring": {
      "command": "${program}",
      "args": ["bridge", "--app", "${id}"]
    }`;

/** The change of a file that has a comment and a server of its own. */
const added = (id: string) => `@@ -1,7 +1,11 @@
 {
   // for the port
   "mcpServers": {
-    "lighthouse": {"command": "lighthouse-mcp"}
+    "lighthouse": {"command": "lighthouse-mcp"},
${entry(id)
  .split("\n")
  .map((line) => `+${line}`)
  .join("\n")}
   },
   "theme": "dark"
 }
`;

/** The change that undoes this one: what goes stands before what comes. */
const reversed = (diff: string) => {
  const opposite = (line: string) => (line.startsWith("+") ? `-${line.slice(1)}` : `+${line.slice(1)}`);
  return diff.replaceAll(/(?:^[+-].*\n)+/gm, (lines) => lines.trimEnd().split("\n").map(opposite).toSorted(removedFirst).join("\n") + "\n");
};
const removedFirst = (a: string, b: string) => Number(a.startsWith("+")) - Number(b.startsWith("+"));

/** The file of an app with two servers, one of which has a secret. */
export const ownConfig = `{"mcpServers": {
  "lighthouse": {"command": "lighthouse-mcp", "env": {"LIGHTHOUSE_TOKEN": "value"}},
  "tides": {"command": "npx", "args": ["-y", "tides-mcp"]}
}}`;

const snippets: Record<AppSnippetFormat, (id: string) => string> = {
  json: (id) => `{\n  "mcpServers": {\n${entry(id)}\n  }\n}\n`,
  toml: (id) => `[mcp_servers.mooring]\ncommand = "${program}"\nargs = ["bridge", "--app", "${id}"]\n`,
  yaml: (id) => `mcpServers:\n  mooring:\n    command: ${program}\n    args:\n      - bridge\n      - --app\n      - ${id}\n`,
  command_line: (id) => `${program} bridge --app ${id}`,
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
  private readonly scene: Scene;
  private readonly tell: () => void;

  constructor(scene: Scene, tell: () => void) {
    this.scene = scene;
    this.tell = tell;
    if (scene !== "empty") this.tokens.set("pier-bot", { createdAt: Date.now() - 5 * day, usedAt: Date.now() - 2 * day });
    this.apps = scene === "empty" ? [...absent] : usualApps();
    if (scene === "apps_changed")
      this.apps = this.apps.map((one) => (one.id === "claude-code" ? { ...one, changed: true, level: "ask_here" } : one));
    if (scene === "apps_limited") this.apps = this.apps.map((one) => ({ ...one, ...limits[one.id] }));
  }

  list(saved: readonly ServerView[]): AppView[] {
    const here = (name: string) => saved.some((server) => server.name === name);
    return this.apps.map((one) => ({ ...one, servers: one.servers.map((server) => ({ ...server, here: here(server.name) })) }));
  }

  activity(): AppActivityView[] {
    return this.scene === "apps_running" ? this.running : [];
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

  plan(id: string): AppPlan {
    return { file: this.find(id).file ?? "", diff: added(id), hash: "shown", backup: true };
  }

  connect(args: Args<"connect_app">): AppView {
    const { id } = args;
    this.sent.push({ name: "connect_app", args });
    // Another program has changed the file between the look and the press.
    if (this.scene === "apps_outdated")
      throw { code: "app_file_changed", message: said("the file has changed since the change was planned"), details: null };
    const { servers } = this.find(id);
    return this.change(id, { state: "connected", recorded: true, connectedAt: Date.now(), servers: [...servers, ours] });
  }

  undo(id: string): AppUndo {
    return { file: this.find(id).file ?? "", diff: reversed(added(id)), hash: "shown", outcome: "restored" };
  }

  disconnect(id: string): "restored" {
    const servers = this.find(id).servers.filter((server) => !server.ours);
    this.change(id, { state: "found", recorded: false, connectedAt: null, servers });
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
    this.tokens.set(args.id, { createdAt: Date.now(), usedAt: null });
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
}
