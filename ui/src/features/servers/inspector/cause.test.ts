import { http, stdio, stopped } from "@dev/mock/servers";
import { say } from "@dev/mock/say";
import { describe, expect, it } from "vitest";
import type { FailureCode } from "@/ipc/bindings/FailureCode";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { othersLike } from "./cause";

const failed = (
  id: number,
  input: Parameters<typeof stopped>[1],
  code: FailureCode,
  state: ServerView["state"] = "failed",
): ServerView => ({ ...stopped(id, input), state, failure: { code, message: say("it failed"), next: null, evidence: null } });
const list = [
  failed(1, stdio("a", "uvx", "one"), "command_not_found"),
  failed(2, stdio("b", "uvx", "two"), "command_not_found"),
  failed(3, stdio("c", "npx", "three"), "command_not_found"),
  failed(4, stdio("d", "uvx", "four"), "exited"),
  failed(5, http("e", "http://127.0.0.1:9/mcp"), "refused"),
  failed(6, http("f", "http://127.0.0.1:9/other"), "refused", "reconnecting"),
  failed(7, http("g", "http://127.0.0.1:8/mcp"), "refused"),
  failed(8, stdio("h", "uvx", "five"), "exited"),
  stopped(9, stdio("i", "uvx", "six")),
];

describe("servers that failed for the same reason", () => {
  it.each([
    ["lack the same program", 1, [2]],
    ["lack another program", 3, []],
    ["are refused at the same host and port", 5, [6]],
    ["are refused at another port", 7, []],
    ["end by themselves, each for its own", 4, []],
    ["did not fail", 9, []],
  ] as const)("%s", (_, id, others) => {
    const server = list.find((one) => one.id === id);
    expect(server && othersLike(server, list).map((other) => other.id)).toEqual(others);
  });
});
