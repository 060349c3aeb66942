import { logRow } from "@dev/log-row";
import { describe, expect, it } from "vitest";
import type { LogRow } from "@/ipc/bindings/LogRow";
import { frameWords } from "./frame-words";

const PREVIEW = 240;

/** Our words, their count, the subject and the content. */
function saidOf(part: Partial<LogRow>, text: string) {
  const { say, count, name, theirs } = frameWords(logRow(part), text) ?? { say: "unread", name: "", theirs: "" };
  return [count === undefined ? say : `${say} ${count}`, name, theirs];
}

const envelope = (rest: object) => JSON.stringify({ jsonrpc: "2.0", id: 7, ...rest });
const asked = (method: string, params: object = {}, part: Partial<LogRow> = {}) =>
  saidOf({ direction: "out", method, rpcId: "7", ...part }, envelope({ method, params }).slice(0, PREVIEW));
const noted = (method: string, params: object = {}, part: Partial<LogRow> = {}) =>
  saidOf({ method: `notifications/${method}`, ...part }, JSON.stringify({ jsonrpc: "2.0", method, params }).slice(0, PREVIEW));
const answered = (method: string, result: object, part: Partial<LogRow> = {}) =>
  saidOf({ method, rpcId: "7", status: "ok", ...part }, envelope({ result }).slice(0, PREVIEW));

const meta = { _meta: { "io.modelcontextprotocol/clientInfo": { name: "mooring", version: "0.1.0" }, more: "x".repeat(200) } };

describe("a request in a sentence", () => {
  it.each([
    [
      asked("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "mooring", version: "1.2" } }),
      ["starts", "2025-11-25", "mooring 1.2"],
    ],
    [asked("server/discover"), ["discovers", "", ""]],
    [asked("ping"), ["pings", "", ""]],
    [asked("tools/list", { cursor: "p2" }), ["listsTools", "", ""]],
    [asked("resources/list"), ["listsResources", "", ""]],
    [asked("resources/templates/list"), ["listsTemplates", "", ""]],
    [asked("prompts/list"), ["listsPrompts", "", ""]],
    [asked("roots/list", {}, { direction: "in" }), ["listsFolders", "", ""]],
    [
      asked("tools/call", { name: "echo", arguments: { a: "}", n: [1, { b: null }] } }, { subject: "echo" }),
      ["calls", "echo", "a: }, n: [1, {b: null}]"],
    ],
    [asked("tools/call", { name: "echo", arguments: {} }, { subject: "echo" }), ["calls", "echo", ""]],
    [asked("tools/call", { ...meta, name: "echo", arguments: { a: 1 } }, { subject: "echo" }), ["calls", "echo", ""]],
    [asked("resources/read", { uri: "demo://guide" }, { subject: "demo://guide" }), ["reads", "demo://guide", ""]],
    [asked("resources/subscribe", { uri: "demo://tide" }), ["follows", "demo://tide", ""]],
    [asked("resources/unsubscribe", { uri: "demo://tide" }), ["unfollows", "demo://tide", ""]],
    [asked("subscriptions/listen", { notifications: { toolsListChanged: true } }), ["listens", "", "toolsListChanged: true"]],
    [asked("prompts/get", { name: "review", arguments: { tone: "dry" } }, { subject: "review" }), ["prompts", "review", "tone: dry"]],
    [asked("completion/complete", { argument: { name: "city", value: "Ki" } }), ["suggests", "city", "Ki"]],
    [asked("logging/setLevel", { level: "debug" }), ["setsLevel", "debug", ""]],
    [asked("elicitation/create", { message: "Which label?" }, { direction: "in" }), ["asksYou", "", "Which label?"]],
    [asked("elicitation/create", { message: "Which label?" }, { direction: "to_app" }), ["asksPerson", "", "Which label?"]],
    [
      asked("sampling/createMessage", { messages: [{ role: "user", content: { type: "text", text: "Sum it up" } }] }, { direction: "in" }),
      ["asksModel", "", "Sum it up"],
    ],
    [asked("tasks/get", { taskId: "t1" }, { subject: "progress" }), ["asksTask", "progress", ""]],
    [asked("skills/get", { uri: "a://b" }, { subject: "a://b" }), [null, "skills/get a://b", "uri: a://b"]],
  ])("%#", (said, expected) => {
    expect(said).toEqual(expected);
  });

  it("says where its arguments go on", () => {
    const [say, name, theirs] = asked("tools/call", { name: "q", arguments: { sql: "x".repeat(300) } }, { subject: "q" });
    expect([say, name]).toEqual(["calls", "q"]);
    expect(theirs).toMatch(/^sql: x+…$/);
  });
});

describe("an answer in a sentence", () => {
  const tools = Array.from({ length: 16 }, (_, n) => ({ name: `tool_${n}`, inputSchema: { type: "object" } }));
  const text = (value: string) => ({ content: [{ type: "text", text: value }] });
  it.each([
    [
      answered("initialize", { protocolVersion: "2025-11-25", capabilities: { tools: {}, resources: {} } }),
      ["speaks", "2025-11-25", "tools, resources"],
    ],
    [
      answered("server/discover", { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }),
      ["speaks", "2026-07-28", "tools"],
    ],
    [answered("ping", {}), ["done", "", ""]],
    [answered("tools/list", { tools: tools.slice(0, 2) }), ["tools 2", "", "tool_0, tool_1"]],
    [answered("tools/list", { tools: [], nextCursor: "p2" }), ["tools 0", "", "…"]],
    [answered("tools/list", { tools }), ["tools", "", "tool_0, tool_1, tool_2, tool_3, …"]],
    [answered("resources/list", { resources: [{ uri: "demo://a", name: "a" }] }), ["resources 1", "", "a"]],
    [answered("resources/templates/list", { resourceTemplates: [] }), ["templates 0", "", ""]],
    [answered("prompts/list", { prompts: [{ name: "review" }] }), ["promptList 1", "", "review"]],
    [answered("roots/list", { roots: [{ uri: "file:///a" }] }, { direction: "out" }), ["folders 1", "", "file:///a"]],
    [answered("tools/call", text("12 °C"), { subject: "weather" }), [null, "weather", "12 °C"]],
    [answered("tools/call", text("one\n two"), { subject: "t" }), [null, "t", "one two"]],
    [answered("tools/call", text('{"city":"Kiel","temp":12}'), { subject: "t" }), [null, "t", "city: Kiel, temp: 12"]],
    [answered("tools/call", { structuredContent: { temp: 12 }, content: [] }, { subject: "t" }), [null, "t", "temp: 12"]],
    [answered("tools/call", { content: [{ type: "image", mimeType: "image/png", data: "iVBO" }] }), ["image", "", "image/png"]],
    [answered("tools/call", { content: [{ type: "resource_link", uri: "demo://a" }] }), ["link", "", "demo://a"]],
    [answered("tools/call", { content: [{ type: "resource", resource: { uri: "a:b", text: "hi" } }] }), [null, "", "hi"]],
    [answered("tools/call", { content: [] }), ["empty", "", ""]],
    [answered("tools/call", { ...meta, ...text("behind") }, { subject: "t" }), ["answered", "t", ""]],
    [answered("tools/call", { task: { taskId: "t1", status: "working" } }, { subject: "t" }), ["background", "t", "working"]],
    [
      answered("tools/call", { resultType: "input_required", inputRequests: { who: { params: { message: "Name?" } } } }, { subject: "t" }),
      ["needsAnswer", "t", "Name?"],
    ],
    [answered("resources/read", { contents: [{ uri: "a:b", text: "# Tides" }] }, { subject: "a:b" }), [null, "a:b", "# Tides"]],
    [answered("resources/read", { contents: [{ uri: "a:b", mimeType: "image/png", blob: "aa" }] }), ["data", "", "image/png"]],
    [answered("prompts/get", { messages: [{ role: "user", content: { type: "text", text: "Review" } }] }), ["messages 1", "", "Review"]],
    [answered("completion/complete", { completion: { values: ["Kiel", "Kyoto"] } }), ["suggestions 2", "", "Kiel, Kyoto"]],
    [answered("elicitation/create", { action: "accept", content: { label: "bug" } }, { direction: "out" }), ["accepted", "", "label: bug"]],
    [answered("elicitation/create", { action: "decline" }, { direction: "out" }), ["declined", "", ""]],
    [answered("elicitation/create", { action: "cancel" }, { direction: "out" }), ["dismissed", "", ""]],
    [
      answered(
        "sampling/createMessage",
        { role: "assistant", model: "m-1", content: { type: "text", text: "Short" } },
        { direction: "out" },
      ),
      [null, "m-1", "Short"],
    ],
    [answered("tasks/get", { taskId: "t1", status: "working", statusMessage: "half" }), ["task", "", "working: half"]],
    [answered("skills/get", { skill: { a: 1 } }), [null, "", "skill: {a: 1}"]],
    [answered("constructor", { say: "done", theirs: "x" }), [null, "", "say: done, theirs: x"]],
    [answered("toString", { a: 1 }), [null, "", "a: 1"]],
  ])("%#", (said, expected) => {
    expect(said).toEqual(expected);
  });

  it("is an error’s sentence, or what a failed tool says", () => {
    const part: Partial<LogRow> = { method: "tools/call", rpcId: "7", status: "error", subject: "t" };
    expect(saidOf(part, envelope({ error: { code: -32602, message: "Unknown team", data: { a: 1 } } }))).toEqual([
      null,
      "t",
      "Unknown team",
    ]);
    expect(saidOf(part, envelope({ result: { isError: true, ...text("no such file") } }))).toEqual([null, "t", "no such file"]);
    expect(saidOf({ ...part, method: null }, envelope({ error: { code: -1 } }))).toEqual([null, "t", "code: -1"]);
  });

  it("is counted in a whole message", () => {
    const row = logRow({ method: "tools/list", rpcId: "7", status: "ok" });
    expect(frameWords(row, envelope({ result: { tools } }))?.count).toBe(16);
  });

  it("says something wherever its preview ends, and shows no bracket that opens its JSON", () => {
    const whole = envelope({ result: { content: [{ type: "text", text: 'high "water" at six \\ ü⚓' }], isError: false } });
    for (let end = 40; end <= whole.length; end += 1) {
      const [say, , theirs] = saidOf({ method: "tools/call", rpcId: "7", status: "ok" }, whole.slice(0, end));
      expect([end, say !== null || theirs !== "", /[{}[\]]/.test(String(theirs))]).toEqual([end, true, false]);
    }
  });
});

describe("a notification in a sentence", () => {
  it.each([
    [noted("initialized", {}, { direction: "out" }), ["initialized", "", ""]],
    [noted("cancelled", { requestId: 8, reason: "too slow" }, { subject: "crawl" }), ["cancels", "crawl", "too slow"]],
    [noted("progress", { progressToken: 2, progress: 2, total: 5, message: "sorting" }), ["progress 40", "", "sorting"]],
    [noted("progress", { progressToken: 2, progress: 7 }), ["progressing", "", ""]],
    [noted("message", { level: "warning", logger: "crawler", data: "slow down" }), ["log", "warning", "crawler: slow down"]],
    [noted("message", { level: "info", data: { pool: 3 } }), ["log", "info", "pool: 3"]],
    [noted("tools/list_changed"), ["changedTools", "", ""]],
    [noted("resources/list_changed"), ["changedResources", "", ""]],
    [noted("prompts/list_changed"), ["changedPrompts", "", ""]],
    [noted("roots/list_changed", {}, { direction: "out" }), ["changedFolders", "", ""]],
    [noted("resources/updated", { uri: "file:///a" }), ["changedResource", "file:///a", ""]],
    [noted("subscriptions/acknowledged", { notifications: { toolsListChanged: true } }), ["following", "", "toolsListChanged: true"]],
    [noted("tasks/status", { taskId: "t1", status: "working" }), ["task", "", "working"]],
    [noted("x/odd", { a: 1 }), [null, "notifications/x/odd", "a: 1"]],
    [noted("constructor", { theirs: 5 }), [null, "notifications/constructor", "theirs: 5"]],
    [noted("constructor", { say: "x:Your data is safe" }), [null, "notifications/constructor", "say: x:Your data is safe"]],
    [noted("__proto__", { a: 1 }), [null, "notifications/__proto__", "a: 1"]],
  ])("%#", (said, expected) => {
    expect(said).toEqual(expected);
  });

  it("goes on where its preview ends", () => {
    const [say, name, theirs] = noted("message", { level: "info", data: "lo".repeat(200) });
    expect([say, name]).toEqual(["log", "info"]);
    expect(theirs).toMatch(/^(?:lo)+l?…$/);
  });
});

describe("what is no message", () => {
  it.each(["oops", "", "[1,2]", '"text"', "{oops}"])("is not read: %s", (text) => {
    expect(frameWords(logRow({}), text)).toBeNull();
  });
});
