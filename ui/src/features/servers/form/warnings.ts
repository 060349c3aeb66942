// What deserves a second look before a command is saved. Warnings inform; nothing is forbidden by a list.
import { secretArguments } from "@/lib/secrets";

export type Warning = "runs_code" | "shell" | "administrator" | "secret_argument" | "shell_words";

const shells = new Set(["sh", "bash", "zsh", "dash", "fish", "ksh", "cmd", "powershell", "pwsh"]);
const interpreters = new Set(["node", "python", "python3", "deno", "bun", "ruby", "perl", "npx", "osascript"]);
const elevators = new Set(["sudo", "doas", "pkexec", "su", "runas"]);

const bare = (program: string) => (program.split(/[/\\]/).at(-1) ?? "").replace(/\.(?:exe|cmd|bat)$/i, "").toLowerCase();

/** The warnings for a program and its arguments. */
export function warningsFor(program: string, args: readonly string[], shellWords: readonly string[]): Warning[] {
  const name = bare(program);
  const out: Warning[] = [];
  if (elevators.has(name)) out.push("administrator");
  if (shells.has(name)) out.push("shell");
  else if (interpreters.has(name) && args.some((arg) => /^(?:-c|-e|--eval|-p|--print|--call)$/.test(arg) && !(name === "npx" && arg === "-p"))) out.push("runs_code");
  if (secretArguments(args).length > 0) out.push("secret_argument");
  if (shellWords.length > 0) out.push("shell_words");
  return out;
}
