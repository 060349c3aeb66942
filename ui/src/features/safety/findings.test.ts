import { reviewCommand } from "@dev/mock/command-review";
import { http, ready, stdio, stopped } from "@dev/mock/servers";
import { describe, expect, it } from "vitest";
import type { AppView } from "@/ipc/bindings/AppView";
import type { PinView } from "@/ipc/bindings/PinView";
import type { RuleInput } from "@/ipc/bindings/RuleInput";
import type { RuleView } from "@/ipc/bindings/RuleView";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { ToolAccess } from "@/ipc/bindings/ToolAccess";
import type { TrustView } from "@/ipc/bindings/TrustView";
import type { Reviewable } from "@/lib/approvals";
import {
  allowsAll,
  allowsDeleting,
  changed,
  covers,
  type Finding,
  isGone,
  ofApp,
  plainHttp,
  plainSecrets,
  secretArguments,
  unpinned,
  unreviewed,
  unused,
} from "./findings";

const NOW = Date.UTC(2026, 10, 30);
const DAY = 24 * 3_600_000;
const local = (command: string, ...args: string[]) => stopped(1, stdio("harbour", command, ...args));
const remote = (url: string, headers: Record<string, string> = {}) => stopped(1, http("harbour", url, headers));
const notesOf = ({ command, args, env }: ServerView) => reviewCommand(command ?? "", args, Object.keys(env));

describe("a command", () => {
  it.each([
    ["npx without a version", ["npx", "-y", "@acme/lamps"], ["@acme/lamps"]],
    ["npx of the latest", ["npx", "-y", "@acme/lamps@latest"], ["@acme/lamps@latest"]],
    ["npx with a version", ["npx", "-y", "@acme/lamps@1.4.0"], []],
    ["uvx without a version", ["uvx", "mcp-server-git"], ["mcp-server-git"]],
    ["uvx with a version", ["uvx", "mcp-server-git==2025.1.0"], []],
    ["an image without a tag", ["docker", "run", "-i", "mcp/time"], ["mcp/time"]],
    ["an image with a tag", ["docker", "run", "-i", "mcp/time:1.2"], []],
    ["a program of this computer", ["node", "/srv/index.js"], []],
  ] as const)("says what isn't pinned: %s", (_, [command, ...args], parts) => {
    const server = local(command, ...args);
    expect(unpinned(server, notesOf(server)).flatMap((found) => found.parts)).toEqual(parts);
  });
  it.each([
    ["1.4.2", "1.4.2"],
    ["v2025.8.1", "v2025.8.1"],
    ["", undefined],
    ["the best one", undefined],
    [null, undefined],
  ])("names the version that the server reports: %s", (serverVersion, version) => {
    const server = { ...local("npx", "@acme/lamps"), serverVersion };
    expect(unpinned(server, notesOf(server))[0]?.version).toBe(version);
  });
  it.each([
    ["a token", ["lamps", "--token", "ghp_0123456789abcdef"], true],
    ["a password in a URL", ["uvx", "pg", "postgresql://me:hunter2@db.test/app"], true],
    ["a URL without one", ["uvx", "pg", "postgresql://db.test/app"], false],
    ["a folder", ["lamps", "/home/ana"], false],
  ] as const)("says that an argument looks like a secret: %s", (_, [command, ...args], found) => {
    const server = local(command, ...args);
    expect(secretArguments(server, notesOf(server)).length > 0).toBe(found);
  });
});

describe("a server", () => {
  it.each([
    ["a token", { API_TOKEN: "abc", LOG_LEVEL: "info" }, ["API_TOKEN"]],
    ["by the shape of its value", { LAMPS: "ghp_0123456789abcdef" }, ["LAMPS"]],
    ["an empty one", { API_TOKEN: "" }, []],
    ["a path", { TOKEN_FILE: "/run/token" }, []],
  ])("has plain secrets: %s", (_, env, parts) => {
    expect(plainSecrets({ ...local("lamps"), env }).flatMap((found) => found.parts)).toEqual(parts);
  });
  it("has plain headers, and none where the value is in the vault", () => {
    const server = remote("https://x.test", { Authorization: "Bearer abc" });
    expect(plainSecrets(server)[0]?.parts).toEqual(["Authorization"]);
    const sealed = [{ place: "header", name: "Authorization", value: null, entered: true }] as const;
    expect(plainSecrets({ ...server, headers: {}, secrets: [...sealed] })).toEqual([]);
  });
  it.each([
    ["http://harbour.test/mcp", true],
    ["http://192.168.1.7:8080/mcp", true],
    ["http://127.0.0.1.evil.test/", true],
    ["https://harbour.test/mcp", false],
    ["http://localhost:3000/mcp", false],
    ["http://app.localhost/mcp", false],
    ["http://127.0.0.1:3845/mcp", false],
    ["http://[::1]:80/mcp", false],
    ["harbour", false],
  ])("is reached without encryption: %s", (url, found) => {
    expect(plainHttp(remote(url)).length > 0).toBe(found);
  });
  it("has changed", () => {
    expect(changed({ ...local("lamps"), changed: true }).length).toBe(1);
    expect(changed(local("lamps"))).toEqual([]);
  });
  it.each([
    ["called 31 days ago", { lastUsed: NOW - 31 * DAY, approvedAt: null }, null, true],
    ["called yesterday", { lastUsed: NOW - DAY, approvedAt: NOW - 90 * DAY }, NOW - 90 * DAY, false],
    ["never called, log and server older than a month", { lastUsed: null, approvedAt: NOW - 40 * DAY }, NOW - 60 * DAY, true],
    ["never called, log younger than a month", { lastUsed: null, approvedAt: NOW - 40 * DAY }, NOW - 20 * DAY, false],
    ["never called, added last week", { lastUsed: null, approvedAt: NOW - 7 * DAY }, NOW - 60 * DAY, false],
    ["never called, never approved", { lastUsed: null, approvedAt: null }, NOW - 60 * DAY, false],
    ["not known yet", { lastUsed: undefined, approvedAt: NOW - 90 * DAY }, NOW - 90 * DAY, false],
  ])("is unused: %s", (_, use, logSince, found) => {
    expect(unused(ready(local("lamps"), 3), use, logSince, NOW).length > 0).toBe(found);
    expect(unused(local("lamps"), use, logSince, NOW)).toEqual([]);
  });
  it.each(["failed", "locked", "sign_in_needed"] as const)("isn't unused while it doesn't run: %s", (state) => {
    const use = { lastUsed: NOW - 31 * DAY, approvedAt: null };
    expect(unused({ ...ready(local("lamps"), 3), state }, use, null, NOW)).toEqual([]);
  });
});

const rule = (part: Partial<RuleInput>): RuleView =>
  ({
    id: 7,
    rule: { effect: "allow", server: null, tool: null, caller: null, destructiveOnly: false, arguments: [], expiresAt: null, ...part },
    serverName: null,
    changed: false,
  }) as Partial<RuleView> as RuleView;
const SAYS = { readOnly: null, destructive: null, idempotent: null, openWorld: null };
const item = (name: string, state: PinView["state"], destructive: boolean | null = null): Reviewable => ({
  server: local("lamps"),
  pin: {
    kind: "tool",
    name,
    state,
    hash: name,
    approvedAt: null,
    changes: [],
    unshown: 0,
    now: "{}",
    whole: null,
    hidden: [],
    forApps: null,
  },
  hints: { ...SAYS, destructive },
});

describe("rules", () => {
  it.each([
    ["everything", {}, true],
    ["everything by a star", { tool: "*" }, true],
    ["until tomorrow", { expiresAt: NOW + DAY }, true],
    ["until yesterday", { expiresAt: NOW - DAY }, false],
    ["asks", { effect: "ask" as const }, false],
    ["one server", { server: 1 }, false],
    ["one caller", { caller: "workbench" as const }, false],
    ["some arguments", { arguments: [{ pointer: "/a", test: "present" as const, value: "" }] }, false],
    ["some tools", { tool: "list_*" }, false],
  ])("allow everything: %s", (_, part, found) => {
    expect(allowsAll([rule(part)], NOW).length > 0).toBe(found);
  });
  const runs = (part: Partial<ToolAccess>): ToolAccess => ({
    tool: "sink",
    usedAt: null,
    times: null,
    effect: "allow",
    rule: 7,
    own: [],
    otherwise: "ask",
    wider: null,
    partial: 0,
    ...part,
  });
  it.each([
    ["approved, says it can, runs by a rule", {}, item("sink", "approved", true), rule({}), ["sink"]],
    ["of one caller", {}, item("sink", "approved", true), rule({ caller: "workbench" }), undefined],
    ["asks", { effect: "ask" as const }, item("sink", "approved", true), rule({}), undefined],
    ["runs, and no rule says so", { rule: null }, item("sink", "approved", true), rule({}), undefined],
    ["not approved", {}, item("sink", "new", true), rule({}), undefined],
    ["says that it can't", {}, item("sink", "approved", false), rule({}), undefined],
    ["says nothing", {}, item("sink", "approved"), rule({}), undefined],
  ])("run what can delete data: %s", (_, part, known, by, parts) => {
    const found = allowsDeleting([{ server: local("lamps"), tools: [runs(part)] }], [known], [by]);
    expect(found[0]?.parts).toEqual(parts);
  });
});

describe("what was said to be fine", () => {
  const trust = (...hashes: string[]) =>
    ({
      definition: item("def", "approved").pin,
      items: hashes.map((hash) => ({ ...item("sink", "changed").pin, hash })),
    }) as Partial<TrustView> as TrustView;
  const moved = { ...local("lamps"), changed: true };
  const fresh = (...names: string[]) => unreviewed(names.map((name) => item(name, "new")));
  const token = local("lamps", "--token", "ghp_0123456789abcdef");
  const of = (view: TrustView) => secretArguments(token, notesOf(token), view);
  const definition = (hash: string) => ({ ...trust(), definition: { ...item("def", "approved").pin, hash } });
  const holds = ([fine]: readonly Finding[], [found]: readonly Finding[]) => covers(fine?.id ?? "", found?.id ?? "");
  it.each([
    ["the same change", changed(moved, trust("a")), changed(moved, trust("a")), true],
    ["another change", changed(moved, trust("a")), changed(moved, trust("b")), false],
    ["a change that isn't known", changed(moved, trust("a")), changed(moved), false],
    ["fewer new tools", fresh("a", "b c"), fresh("b c"), true],
    ["another new tool", fresh("a", "b"), fresh("a", "c"), false],
    ["the same computer", plainHttp(remote("http://a.test/x")), plainHttp(remote("http://a.test/y")), true],
    ["another computer", plainHttp(remote("http://a.test/x")), plainHttp(remote("http://b.test/x")), false],
    ["the same command", of(definition("a")), of(definition("a")), true],
    ["another command", of(definition("a")), of(definition("b")), false],
  ])("holds for %s", (_, fine, found, expected) => {
    expect(holds(fine, found)).toBe(expected);
  });
  it("names no secret", () => {
    expect(of(definition("a"))[0]?.id).toBe("secretArgument 1 a");
    expect(plainHttp(remote("http://me:hunter2@a.test/x?key=hunter2"))[0]?.id).toBe("plainHttp 1 a.test");
  });
  it.each([
    ["what is still found", "unpinned 1 a", 0, false],
    ["what is put right", "unpinned 1 b", 2, true],
    ["what is found of connected servers only", "unreviewed all a", 0, true],
    ["that, while some aren't", "unreviewed all a", 1, false],
    ["what an earlier version hid", "unpinned 1", 0, true],
  ])("is gone: %s", (_, fine, unconnected, gone) => {
    const found = [{ id: "unpinned 1 a" }] as Partial<Finding>[] as Finding[];
    expect(isGone(fine, found, unconnected)).toBe(gone);
  });
});

describe("what nobody reviewed", () => {
  it("is counted, tools only", () => {
    expect(unreviewed([item("a", "new"), item("b", "new"), item("c", "approved"), item("d", "changed")])[0]?.count).toBe(2);
    expect(unreviewed([item("c", "approved")])).toEqual([]);
  });
});

describe("an app", () => {
  const app: AppView = {
    id: "cursor",
    title: "Cursor",
    state: "connected",
    file: null,
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
    off: [{ server: 9, tool: null }],
    seesPrompts: true,
    seesResources: true,
    pinned: [],
    changed: false,
    recorded: true,
    key: "current",
    allowed: false,
    connectedAt: null,
    usedAt: null,
  };
  it.each<[string, Partial<AppView>, string[]]>([
    ["asks here, and gets a part", {}, []],
    ["is to ask, and isn't known to", { level: "app_asks" }, ["appUnasked"]],
    ["asks by itself", { level: "app_asks", asksPerson: true }, []],
    ["isn't connected", { level: "app_asks", state: "found" }, []],
    ["has a key that counts no more", { level: "app_asks", key: "renew" }, ["oldKey"]],
    ["has its key in a repository", { repository: "/home/ana/harbour" }, ["sharedKey"]],
    ["gets everything", { off: [] }, ["appGetsAll"]],
    ["gets everything, and only reads", { off: [], level: "read_only" }, []],
    ["gets everything but prompts", { off: [], seesPrompts: false }, []],
  ])("%s", (_, part, kinds) => {
    expect(ofApp({ ...app, ...part }, [item("sink", "approved", true)]).map(({ kind }) => kind)).toEqual(kinds);
  });
  it("gets everything, and none of it can delete data", () => {
    expect(ofApp({ ...app, off: [] }, [item("list", "approved", false), item("sink", "new", true)])).toEqual([]);
  });
});
