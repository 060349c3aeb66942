// A failed connection as text for others: without values of variables and headers, and without passwords.
import type { ServerView } from "@/ipc/bindings/ServerView";
import { hideUserInfo } from "@/lib/secrets";
import { shownAddressOf } from "@/lib/server-address";

/** `lines` are the lines of the error, in order. Names of variables and headers are enough for diagnosis. */
export function reportOf(server: ServerView, lines: readonly (string | null)[]): string {
  const names = [...Object.keys(server.env), ...Object.keys(server.headers), ...server.secrets.map(({ name }) => name)];
  const facts = [
    ["Server", server.name],
    ["Transport", server.transport],
    [server.transport === "stdio" ? "Command" : "URL", shownAddressOf(server)],
    ["Program", server.programPath],
    ["Working folder", server.cwd],
    ["Variables and headers", names.length === 0 ? null : names.join(", ")],
    ["State", server.state],
    ["Failure", server.failure?.code ?? null],
    ["Protocol", server.revision],
  ] as const;
  return [
    ...facts.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`])),
    "",
    ...lines.filter((line) => line !== null && line !== "").map((line) => hideUserInfo(line ?? "")),
    ...(server.stderrTail.length === 0 ? [] : ["", "Standard error:", ...server.stderrTail]),
  ].join("\n");
}
