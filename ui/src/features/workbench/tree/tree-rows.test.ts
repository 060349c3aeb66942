import { describe, expect, it } from "vitest";
import { ready, stdio, stopped } from "@dev/mock/servers";
import type { PromptView } from "@/ipc/bindings/PromptView";
import type { SavedCall } from "@/ipc/bindings/SavedCall";
import type { ResourceView } from "@/ipc/bindings/ResourceView";
import type { ServerState } from "@/ipc/bindings/ServerState";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { TemplateView } from "@/ipc/bindings/TemplateView";
import type { ToolView } from "@/ipc/bindings/ToolView";
import { firstItem, type Folds, type Offers, treeRows } from "./tree-rows";

const tool = (name: string, title: string | null = null): ToolView => ({
  name,
  title,
  description: null,
  inputSchema: null,
  outputSchema: null,
  annotations: null,
  raw: "{}",
  diagnostics: [],
});
const resource = (uri: string, name: string): ResourceView => ({
  uri,
  name,
  title: null,
  description: null,
  mimeType: null,
  size: null,
  annotations: null,
  raw: "{}",
  diagnostics: [],
});
const template = (uriTemplate: string): TemplateView => ({
  uriTemplate,
  name: "t",
  title: null,
  description: null,
  mimeType: null,
  annotations: null,
  raw: "{}",
  diagnostics: [],
  variables: [],
});
const prompt = (name: string): PromptView => ({ name, title: null, description: null, arguments: [], raw: "{}", diagnostics: [] });
const server = (id: number, name: string, state: ServerState): ServerView => ({ ...ready(stopped(id, stdio(name, "x")), 1), state });

const nothing: Offers = { tools: null, resources: null, prompts: null, tasks: { total: 0, active: 0, waiting: 0 } };
const known = (...tools: ToolView[]): Offers => ({ ...nothing, tools: { list: tools, failed: false } });
const reading = { list: null, failed: false };
const rich: Offers = {
  tools: { list: [tool("berths")], failed: false },
  resources: {
    list: { resources: [resource("demo://guide", "guide")], templates: [template("demo://berths/{city}")], skills: [], diagnostics: [] },
    failed: false,
  },
  prompts: { list: [prompt("passage_plan")], failed: false },
  tasks: { total: 3, active: 1, waiting: 0 },
};
const none: Folds = new Map();

function rows(servers: ServerView[], offers: [number, Offers][], query = "", folds = none, saved: SavedCall[] = []): string[] {
  return treeRows(servers, new Map(offers), query, folds, saved).map((row) => {
    switch (row.kind) {
      case "section":
        return `${row.section} ${row.count}${row.open ? ":" : "…"}`;
      case "saved":
        return `  ${row.call.name} of ${row.server.name}`;
      case "server":
        return `${row.server.name}${row.open ? ":" : "…"}`;
      case "tasks":
        return `  tasks ${row.active}/${row.total}`;
      case "group":
        return `  ${row.group} ${row.count ?? (row.failed ? "!" : "?")}${row.open ? ":" : "…"}`;
      case "item":
        return `${row.grouped ? "    " : "  "}${row.item.label}`;
      case "note":
        return `  (${row.note})`;
    }
  });
}

describe("the tree", () => {
  const two = [server(1, "harbour", "ready"), server(2, "files", "ready")];
  const tools: [number, Offers][] = [
    [1, known(tool("berths"), tool("book_berth", "Book a berth"))],
    [2, known(tool("read_file"), tool("write_file"), tool("harbour_map"))],
  ];

  it("lists servers with their tools in the servers' order", () => {
    expect(rows(two, tools)).toEqual(["harbour:", "  berths", "  book_berth", "files:", "  read_file", "  write_file", "  harbour_map"]);
  });

  it("sets what a server offers of several kinds apart, with counts, its tasks first", () => {
    expect(rows([server(1, "s", "ready")], [[1, rich]])).toEqual([
      "s:",
      "  tasks 1/3",
      "  tool 1:",
      "    berths",
      "  resource 1:",
      "    guide",
      "  template 1:",
      "    demo://berths/{city}",
      "  prompt 1:",
      "    passage_plan",
    ]);
  });

  it("needs no headings for one kind, and shows none for what is known to be empty", () => {
    const empty = { list: { resources: [], templates: [], skills: [], diagnostics: [] }, failed: false };
    expect(rows([server(1, "s", "ready")], [[1, { ...known(tool("a")), resources: empty, prompts: { list: [], failed: false } }]])).toEqual(
      ["s:", "  a"],
    );
    expect(rows([server(1, "s", "ready")], [[1, { ...nothing, resources: rich.resources }]])).toEqual([
      "s:",
      "  resource 1:",
      "    guide",
      "  template 1:",
      "    demo://berths/{city}",
    ]);
  });

  it("says of each kind whether it is being read or could not be", () => {
    expect(
      rows([server(1, "s", "ready")], [[1, { ...known(tool("a")), resources: reading, prompts: { list: null, failed: true } }]]),
    ).toEqual(["s:", "  tool 1:", "    a", "  resource ?:", "  prompt !:"]);
  });

  it("folds a server, a group, and what is very long until it is opened", () => {
    expect(rows(two, tools, "", new Map([["s1", false]]))).toEqual(["harbour…", "files:", "  read_file", "  write_file", "  harbour_map"]);
    expect(
      rows(
        [server(1, "s", "ready")],
        [[1, { ...rich, tasks: { total: 0, active: 0, waiting: 0 } }]],
        "",
        new Map([
          ["s1/resource", false],
          ["s1/template", false],
          ["s1/prompt", false],
        ]),
      ),
    ).toEqual(["s:", "  tool 1:", "    berths", "  resource 1…", "  template 1…", "  prompt 1…"]);
    const many = {
      ...rich,
      tasks: { total: 0, active: 0, waiting: 0 },
      prompts: { list: Array.from({ length: 101 }, (_, index) => prompt(`p${index}`)), failed: false },
    };
    expect(rows([server(1, "s", "ready")], [[1, many]]).at(-1)).toBe("  prompt 101…");
    expect(rows([server(1, "s", "ready")], [[1, many]], "", new Map([["s1/prompt", true]])).at(-1)).toBe("    p100");
  });

  it.each([
    ["ready", known(), "nothing"],
    ["ready", { ...nothing, tools: reading }, "loading"],
    ["ready", { ...nothing, tools: reading, prompts: reading }, "loading"],
    ["ready", { ...nothing, tools: { list: null, failed: true } }, "unread"],
    ["stopped", { ...nothing, tools: reading }, "state"],
    ["failed", { ...nothing, tools: reading }, "state"],
    ["locked", { ...nothing, tools: reading }, "state"],
    ["sign_in_needed", { ...nothing, tools: reading }, "state"],
    ["starting", { ...nothing, tools: reading }, "state"],
    ["reconnecting", { ...nothing, tools: reading, resources: reading }, "state"],
  ] as [ServerState, Offers, string][])("says why a server that is %s shows nothing", (state, held, note) => {
    expect(rows([server(1, "s", state)], [[1, held]])).toEqual(["s:", `  (${note})`]);
  });

  it("keeps what a server offered in sight when it stopped", () => {
    expect(rows([server(1, "s", "stopped")], [[1, known(tool("a"))]])).toEqual(["s:", "  (state)", "  a"]);
  });

  it("finds everything by name, by title, by address and by its server, best first", () => {
    expect(rows(two, tools, "rf")).toEqual(["files:", "  read_file"]);
    expect(rows(two, tools, "book")).toEqual(["harbour:", "  book_berth"]);
    expect(rows(two, tools, "files write")).toEqual(["files:", "  write_file"]);
    expect(rows(two, tools, "nothing at all")).toEqual([]);
    expect(rows([server(1, "s", "ready")], [[1, rich]], "demo://guide")).toEqual(["s:", "  guide"]);
    expect(rows([server(1, "s", "ready")], [[1, rich]], "berths")).toEqual(["s:", "  berths", "  demo://berths/{city}"]);
    expect(rows([server(1, "s", "ready")], [[1, rich]], "passage")).toEqual(["s:", "  passage_plan"]);
  });

  it("finds no letters that lie apart beside what has them in one piece", () => {
    const everything: [number, Offers][] = [
      [
        1,
        {
          ...nothing,
          tools: { list: [tool("get-sum", "Get Sum Tool"), tool("add", "Add two numbers"), tool("get-structured-content")], failed: false },
          resources: {
            list: {
              resources: [resource("demo://structure.md", "structure.md"), resource("demo://features.md", "features.md")],
              templates: [],
              skills: [],
              diagnostics: [],
            },
            failed: false,
          },
        },
      ],
      [2, known(tool("list_summaries"), tool("start_umbrella"))],
    ];
    const servers = [server(1, "everything", "ready"), server(2, "files", "ready")];
    expect(rows(servers, everything, "sum")).toEqual(["everything:", "  get-sum", "files:", "  list_summaries"]);
    expect(rows(servers, everything, "be")).toEqual([]);
    expect(rows(servers, everything, "stcmd")).toEqual(["everything:", "  structure.md"]);
  });

  it("opens folded servers while searching, and shows a server that is found itself", () => {
    expect(rows([server(1, "git", "stopped")], [], "git", new Map([["s1", false]]))).toEqual(["git:", "  (state)"]);
  });

  it("offers the first find to Enter", () => {
    const found = firstItem(treeRows(two, new Map(tools), "map", none));
    expect(found?.kind === "item" && found.item.target).toEqual({ kind: "tool", name: "harbour_map" });
  });

  it("tells two things of one name apart", () => {
    const ids = treeRows([server(1, "s", "ready")], new Map([[1, known(tool("a"), tool("a"))]]), "", none).map((row) => row.id);
    expect(new Set(ids).size).toBe(3);
  });
});

describe("what was saved", () => {
  const demo = server(1, "demo", "ready");
  const saved = (id: number, item: string, name: string | null, serverId = 1): SavedCall => ({
    id,
    serverId,
    kind: item.includes(":") ? "resource" : "tool",
    item,
    name,
    arguments: "{}",
    withheld: [],
  });
  const all = [saved(1, "berths", "Summer"), saved(2, "demo://guide", null), saved(3, "berths", null), saved(4, "x", "Lost", 9)];

  it("stands above the servers, favourites first, and folds", () => {
    const shown = rows([demo], [[1, rich]], "", none, all);
    expect(shown.slice(0, 6)).toEqual(["favourite 2:", "  guide", "  berths", "saved 1:", "  Summer of demo", "demo:"]);
    const folded = rows([demo], [[1, rich]], "", new Map([["favourite", false]]), all);
    expect(folded.slice(0, 3)).toEqual(["favourite 2…", "saved 1:", "  Summer of demo"]);
    expect(new Set(treeRows([demo], new Map([[1, rich]]), "", none, all).map((row) => row.id)).size).toBe(shown.length);
  });

  it("is there while its server is stopped", () => {
    expect(rows([server(1, "demo", "stopped")], [], "", none, all).slice(0, 4)).toEqual([
      "favourite 2:",
      "  demo://guide",
      "  berths",
      "saved 1:",
    ]);
  });

  it("is found by the name of the call", () => {
    expect(rows([demo], [[1, rich]], "summ", none, all)).toEqual(["saved 1:", "  Summer of demo"]);
  });
});
