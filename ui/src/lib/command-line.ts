// One line as people paste it, taken apart into a program and its arguments. No shell is involved, now or later.

export interface CommandLine {
  program: string;
  args: string[];
  /** `NAME=value` words before the program. */
  env: Record<string, string>;
  problem: "unclosed_quote" | null;
  /** Words that only a shell would understand; they are passed on as they are. */
  shellWords: string[];
}

const escapable = /[\s"'\\$`]/;

/** Words with the usual quotes. A backslash escapes only spaces, quotes, `$` and itself, so Windows paths survive. */
function words(line: string): { words: { text: string; quoted: boolean }[]; closed: boolean } {
  const out: { text: string; quoted: boolean }[] = [];
  let text = "";
  let inside = false;
  let quoted = false;
  let quote: string | null = null;
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at] ?? "";
    const next = line[at + 1];
    if (char === "\\" && quote !== "'" && next !== undefined && escapable.test(next) && (quote === null || !/\s|'/.test(next))) {
      at += 1;
      if (next === "\r" && line[at + 1] === "\n") at += 1;
      // A backslash at the end of a line joins it with the next one.
      if (next !== "\n" && next !== "\r") {
        text += next;
        inside = true;
      }
    } else if (quote !== null) {
      if (char === quote) quote = null;
      else text += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      inside = true;
      quoted = true;
    } else if (/\s/.test(char)) {
      if (inside) out.push({ text, quoted });
      text = "";
      inside = false;
      quoted = false;
    } else {
      text += char;
      inside = true;
    }
  }
  if (inside) out.push({ text, quoted });
  return { words: out, closed: quote === null };
}

const shellOnly = /^(?:\||\|\||&&?|;|>>?|<|2>.*)$|\$\(|`|^\$\w+$|^~(?:\/|$)|^\*$/;

/** Takes a command line apart. */
export function readCommandLine(line: string): CommandLine {
  // A prompt copied along with the command is not part of it.
  const { words: found, closed } = words(line.replace(/^\s*[$%>]\s+/, ""));
  const env: Record<string, string> = {};
  let first = 0;
  for (; first < found.length; first += 1) {
    const match = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(found[first]?.text ?? "");
    if (!match || match[1] === undefined) break;
    env[match[1]] = match[2] ?? "";
  }
  const [program, ...rest] = found.slice(first);
  return {
    program: program?.text ?? "",
    args: rest.map((word) => word.text),
    env,
    problem: closed ? null : "unclosed_quote",
    shellWords: rest.filter((word) => !word.quoted && shellOnly.test(word.text)).map((word) => word.text),
  };
}

const dotted = /^\.{1,2}[/\\]/;
/** A file that an interpreter is to run. No package of a registry has such a name but for `.js`, and those are fetched by other programs. */
const script = /^[^-@~$%/\\:][^:]*\.(?:[cm]?[jt]sx?|py|rb|php|pl|sh|jar)$/i;
const fetchers = /^(?:npx|bunx|pnpx|npm|pnpm|yarn|uvx|pipx|docker|podman)(?:\.\w+)?$/i;

/** Options with which a program chooses its working folder itself. */
const moves = /^(?:-C|--(?:directory|dir|cwd|chdir|working-dir|working-directory))(?:=|$)/;

/** Paths in a command that are not given in full: the server looks for them in its own working folder. */
export function relativePaths({ program, args }: Pick<CommandLine, "program" | "args">): string[] {
  if (args.some((arg) => moves.test(arg))) return [];
  const isLocal = !fetchers.test(program.split(/[/\\]/).at(-1) ?? "");
  return [program, ...args]
    .map((word) => word.replace(/^--?[\w-]+=/, ""))
    .filter((word, index) => dotted.test(word) || (index > 0 && isLocal && script.test(word)));
}

function quoted(word: string): string {
  if (word !== "" && !/[\s"'\\$`]/.test(word)) return word;
  if (!word.includes("'")) return `'${word}'`;
  return `"${word.replaceAll(/["\\$`]/g, String.raw`\$&`)}"`;
}

/** The line that `readCommandLine` would take apart into these. */
export function writeCommandLine(program: string, args: readonly string[]): string {
  return [program, ...args].map(quoted).join(" ");
}
