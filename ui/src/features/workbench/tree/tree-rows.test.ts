import { describe, expect, it } from "vitest";
import { ready, stdio, stopped } from "@dev/mock/servers";
import type { ServerState } from "@/ipc/bindings/ServerState";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { ToolView } from "@/ipc/bindings/ToolView";
import { firstTool, type Tools, treeRows } from "./tree-rows";

const tool = (name: string, title: string | null = null): ToolView => ({ name, title, description: null, inputSchema: null, outputSchema: null, annotations: null, raw: "{}", diagnostics: [] });
const server = (id: number, name: string, state: ServerState): ServerView => ({ ...ready(stopped(id, stdio(name, "x")), 1), state });
const known = (...tools: ToolView[]): Tools => ({ list: tools, failed: false });
const none: ReadonlySet<number> = new Set();

function rows(servers: ServerView[], tools: [number, Tools][], query = "", closed = none): string[] {
  return treeRows(servers, new Map(tools), query, closed).map((row) => (row.kind === "server" ? `${row.server.name}${row.open ? ":" : "…"}` : row.kind === "tool" ? `  ${row.tool.name}` : `  (${row.note})`));
}

describe("the tree", () => {
  const two = [server(1, "harbour", "ready"), server(2, "files", "ready")];
  const tools: [number, Tools][] = [[1, known(tool("berths"), tool("book_berth", "Book a berth"))], [2, known(tool("read_file"), tool("write_file"), tool("harbour_map"))]];

  it("lists servers with their tools in the servers' order", () => {
    expect(rows(two, tools)).toEqual(["harbour:", "  berths", "  book_berth", "files:", "  read_file", "  write_file", "  harbour_map"]);
  });

  it("hides the tools of a folded server", () => {
    expect(rows(two, tools, "", new Set([1]))).toEqual(["harbour…", "files:", "  read_file", "  write_file", "  harbour_map"]);
  });

  it.each([
    ["ready", known(), "noTools"],
    ["ready", { list: null, failed: false }, "loading"],
    ["ready", { list: null, failed: true }, "unread"],
    ["stopped", { list: null, failed: false }, "start"],
    ["failed", { list: null, failed: false }, "failed"],
    ["sign_in_needed", { list: null, failed: false }, "signIn"],
    ["starting", { list: null, failed: false }, "wait"],
    ["reconnecting", { list: null, failed: false }, "wait"],
  ] as [ServerState, Tools, string][])("says why a server that is %s shows none", (state, held, note) => {
    expect(rows([server(1, "s", state)], [[1, held]])).toEqual(["s:", `  (${note})`]);
  });

  it("keeps the tools of a server that stopped in sight", () => {
    expect(rows([server(1, "s", "stopped")], [[1, known(tool("a"))]])).toEqual(["s:", "  (start)", "  a"]);
  });

  it("finds tools by name, by title and by their server, best first", () => {
    expect(rows(two, tools, "rf")).toEqual(["files:", "  read_file"]);
    expect(rows(two, tools, "book")).toEqual(["harbour:", "  book_berth"]);
    expect(rows(two, tools, "files write")).toEqual(["files:", "  write_file"]);
    expect(rows(two, tools, "nothing at all")).toEqual([]);
  });

  it("opens folded servers while searching, and shows a server that is found itself", () => {
    expect(rows([server(1, "git", "stopped")], [], "git", new Set([1]))).toEqual(["git:", "  (start)"]);
  });

  it("offers the first tool to Enter", () => {
    const found = firstTool(treeRows(two, new Map(tools), "map", none));
    expect(found?.kind === "tool" && found.tool.name).toBe("harbour_map");
  });
});
