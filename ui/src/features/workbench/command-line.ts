// A call as a command line of `mooring`, to paste into a POSIX shell.
import type { Target } from "./target";

/** One word for the shell: quoted unless every character is harmless. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) && !word.startsWith("-") ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

const VERBS = { tool: "call", resource: "read", template: "read", prompt: "prompt" } as const;

/** The command that makes the same call. */
export function commandLine(server: string, { kind, name }: Target, args: string, uri: string | null = null): string {
  const named = uri !== null ? [uri] : args === "{}" ? [name] : [name, args];
  // What begins with a hyphen would be taken for an option.
  const option = server.startsWith("-") ? [`--server=${quoted(server)}`] : ["--server", quoted(server)];
  const words = named.map(quoted);
  const rest = named[0]?.startsWith("-") ? [...option, "--", ...words] : [...words, ...option];
  return ["mooring", VERBS[kind], ...rest].join(" ");
}
