// Guesses which program a person meant with an unknown name: one that commonly starts servers.

/** Programs that commonly start servers. */
const STARTERS = [
  "npx",
  "uvx",
  "uv",
  "node",
  "npm",
  "pnpm",
  "bun",
  "bunx",
  "deno",
  "docker",
  "podman",
  "python",
  "python3",
  "pipx",
  "dotnet",
  "cargo",
];

/** The number of wrong, missing, extra or swapped letters (optimal string alignment distance). */
function lettersBetween(left: string, right: string): number {
  const rows = Array.from({ length: left.length + 1 }, (_, row) => Array.from({ length: right.length + 1 }, (__, column) => row + column));
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= left.length; row += 1)
    for (let column = 1; column <= right.length; column += 1) {
      const same = left[row - 1] === right[column - 1];
      const exchanged = row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const best = Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + (same ? 0 : 1));
      rows[row]?.splice(column, 1, exchanged ? Math.min(best, at(row - 2, column - 2) + 1) : best);
    }
  return at(left.length, right.length);
}

/** The nearest common program, if it is similar. Null if the name is one of them, or similar to none. */
export function meantProgram(name: string): string | null {
  const typed = name.toLowerCase();
  if (STARTERS.includes(name) || !/^[a-z0-9]{2,}$/.test(typed)) return null;
  const near = STARTERS.map((starter) => ({ starter, off: lettersBetween(typed, starter) })).toSorted(
    (one, other) => one.off - other.off,
  )[0];
  return near !== undefined && near.off <= (typed.length > 4 ? 2 : 1) ? near.starter : null;
}

/** A command line with this program replaced. */
export function withProgram(commandLine: string, program: string, other: string): string {
  const words = commandLine.split(/(\s+)/);
  const at = words.indexOf(program);
  return at < 0 ? commandLine : words.with(at, other).join("");
}
