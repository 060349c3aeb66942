// A call as a `mooring` command, to paste into a POSIX shell.
import type { Target } from "./target";

/** A word for the shell, quoted if necessary. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) && !word.startsWith("-") ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

const VERBS = { tool: "call", resource: "read", template: "read", prompt: "prompt" } as const;

/** The command that makes the same call. */
export function commandLine(server: string, { kind, name }: Target, args: string, uri: string | null = null): string {
  const named = uri !== null ? [uri] : args === "{}" ? [name] : [name, args];
  // A leading hyphen would be parsed as an option.
  const option = server.startsWith("-") ? [`--server=${quoted(server)}`] : ["--server", quoted(server)];
  const words = named.map(quoted);
  const rest = named[0]?.startsWith("-") ? [...option, "--", ...words] : [...words, ...option];
  return ["mooring", VERBS[kind], ...rest].join(" ");
}
