// Parses a pasted line into a program and its arguments. No shell is involved, now or later.

export interface CommandLine {
  program: string;
  args: string[];
  /** `NAME=value` words before the program. */
  env: Record<string, string>;
  problem: "unclosed_quote" | null;
  /** Words that only a shell would understand. They are passed on unchanged. */
  shellWords: string[];
}

const escapable = /[\s"'\\$`]/;

/** Splits words with common quotes. A backslash only escapes spaces, quotes, `$` and itself, for Windows paths. */
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
      // A backslash at the end of a line continues it.
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

/** Parses a command line. */
export function readCommandLine(line: string): CommandLine {
  // Removes a copied prompt.
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
/** A script file for an interpreter. Packages with such names only end in `.js`, and fetchers run those. */
const script = /^[^-@~$%/\\:][^:]*\.(?:[cm]?[jt]sx?|py|rb|php|pl|sh|jar)$/i;
const fetchers = /^(?:npx|bunx|pnpx|npm|pnpm|yarn|uvx|pipx|docker|podman)(?:\.\w+)?$/i;

/** Options that set a program's working folder. */
const moves = /^(?:-C|--(?:directory|dir|cwd|chdir|working-dir|working-directory))(?:=|$)/;

/** The relative paths in a command, which the server resolves in its own working folder. */
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

/** The line that `readCommandLine` would parse into these. */
export function writeCommandLine(program: string, args: readonly string[]): string {
  return [program, ...args].map(quoted).join(" ");
}
