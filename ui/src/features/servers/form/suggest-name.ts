// A short name for a server, from what is known about it.
const runners = new Set(["npx", "uvx", "bunx", "pnpx", "pipx", "uv", "pnpm", "yarn", "bun", "deno", "node", "python", "python3", "docker", "podman", "npm"]);
const verbs = new Set(["run", "exec", "dlx", "x", "tool", "start", "serve"]);

function fromPackage(word: string): string {
  const last = word.replace(/^npm:/, "").replace(/(?!^)@[^@/]*$/, "").split(/[/\\]/).filter((part) => part !== "dist" && part !== "build" && part !== "src");
  const scope = word.startsWith("@") ? (last[0] ?? "").slice(1) : "";
  const file = (last.at(-1) ?? "").replace(/\.[cm]?[jt]s$|\.py$|:[\w.-]+$|[=<>~^].*$/, "");
  const name = /^(?:index|main|server|cli)$/.test(file) && last.length > 1 ? (last.at(-2) ?? file) : file;
  const short = name.replace(/^mcp[-_]?server[-_]?|^server[-_]|[-_]?mcp[-_]?server$|^mcp[-_]|[-_]mcp$/i, "");
  return short === "" || short === "mcp" ? (scope || name) : short;
}

/** `npx -y @modelcontextprotocol/server-filesystem ~` is `filesystem`. */
export function nameFromCommand(program: string, args: readonly string[]): string {
  const name = (program.split(/[/\\]/).at(-1) ?? "").replace(/\.(?:exe|cmd|bat)$/i, "");
  if (!runners.has(name)) return fromPackage(name);
  const named = args.findIndex((arg) => arg === "-m" || arg === "--module");
  const word = named >= 0 ? args[named + 1] : args.find((arg) => !arg.startsWith("-") && !verbs.has(arg));
  return word === undefined ? "" : fromPackage(word.replaceAll("_", "-"));
}

/** `https://mcp.linear.app/mcp` is `linear`. */
export function nameFromUrl(url: string): string {
  const host = URL.canParse(url) ? new URL(url).hostname : "";
  if (/^[\d.:[\]]*$/.test(host) || host === "localhost") return host === "" ? "" : "local";
  const parts = host.split(".").filter((part) => !/^(?:www|mcp|api|app|server)$/.test(part));
  return (parts.length > 2 ? parts.at(-2) : parts[0]) ?? host;
}

/** The name, or with a number when it is taken. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (name === "" || !taken.has(name)) return name;
  for (let number = 2; ; number += 1) if (!taken.has(`${name}-${number}`)) return `${name}-${number}`;
}
