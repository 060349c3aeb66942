// A call as a command line of `mooring`, to paste into a POSIX shell.

/** One word for the shell: quoted unless every character is harmless. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) && !word.startsWith("-") ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** The command that makes the same call. */
export function commandLine(server: string, tool: string, args: string): string {
  const named = args === "{}" ? [quoted(tool)] : [quoted(tool), quoted(args)];
  return ["mooring", "call", ...named, "--server", quoted(server)].join(" ");
}
