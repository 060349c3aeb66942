// Suggests a short name for a server.
const runners = new Set(["npx", "uvx", "bunx", "pnpx", "pipx", "uv", "pnpm", "yarn", "bun", "deno", "node", "python", "python3", "npm"]);
/** Interpreters whose arguments may contain the program itself, and their options for that. */
const inline = new Map(
  Object.entries({
    node: /^(?:-e|-p|-pe|--eval|--print)(?:=|$)/,
    bun: /^(?:-e|-p|--eval|--print)(?:=|$)/,
    deno: /^eval$/,
    python: /^-c/,
    python3: /^-c/,
    bash: /^-\w*c$/,
    sh: /^-\w*c$/,
    zsh: /^-\w*c$/,
  }),
);
const containers = new Set(["docker", "podman", "nerdctl"]);
const verbs = new Set(["run", "exec", "dlx", "x", "tool", "start", "serve"]);
/** Options that set a runner's working folder. */
const folders = /^(?:--prefix|--directory|--project|--cwd|--dir|-C)$/;
/** Other options whose value is the next word, for any runner. A short one can be ambiguous. */
const valued =
  /^(?:--(?:package|registry|cache|userconfig|loglevel|node-options|from|with|with-editable|with-requirements|python|index|index-url|extra-index-url|default-index|env-file|require|import|loader|experimental-loader|config|spec|filter|extra|group)|-[prwi])$/;

// Container options whose value is the next word.
const letters = /^-[^acehlmpuvwH-]*[acehlmpuvwH]$/;
const options = new Set([
  "add-host",
  "annotation",
  "arch",
  "attach",
  "authfile",
  "blkio-weight",
  "cap-add",
  "cap-drop",
  "cgroup-parent",
  "cgroupns",
  "cidfile",
  "config",
  "context",
  "cpu-period",
  "cpu-quota",
  "cpu-shares",
  "cpus",
  "cpuset-cpus",
  "cpuset-mems",
  "detach-keys",
  "device",
  "device-cgroup-rule",
  "dns",
  "dns-option",
  "dns-search",
  "domainname",
  "entrypoint",
  "env",
  "env-file",
  "expose",
  "gidmap",
  "gpus",
  "group-add",
  "health-cmd",
  "health-interval",
  "health-retries",
  "health-start-period",
  "health-timeout",
  "host",
  "hostname",
  "ip",
  "ip6",
  "ipc",
  "isolation",
  "label",
  "label-file",
  "link",
  "link-local-ip",
  "log-driver",
  "log-level",
  "log-opt",
  "mac-address",
  "memory",
  "memory-reservation",
  "memory-swap",
  "mount",
  "name",
  "namespace",
  "net",
  "network",
  "network-alias",
  "oom-score-adj",
  "os",
  "pid",
  "pids-limit",
  "platform",
  "pod",
  "publish",
  "pull",
  "restart",
  "runtime",
  "secret",
  "security-opt",
  "shm-size",
  "stop-signal",
  "stop-timeout",
  "storage-opt",
  "sysctl",
  "systemd",
  "tmpfs",
  "tz",
  "uidmap",
  "ulimit",
  "umask",
  "user",
  "userns",
  "uts",
  "variant",
  "volume",
  "volume-driver",
  "volumes-from",
  "workdir",
]);

/** Whether the next word is the value of this option. `-it` has none, `-ite` has, `-eNAME` includes it. */
function wantsValue(option: string): boolean {
  return option.startsWith("--") ? options.has(option.slice(2)) : letters.test(option);
}

/** The image: the first word that isn't an option, an option's value, or a subcommand. */
function imageIn(args: readonly string[]): string | undefined {
  return args.find((arg, index) => {
    const before = args[index - 1] ?? "";
    return !arg.startsWith("-") && !verbs.has(arg) && arg !== "container" && !(before.startsWith("-") && wantsValue(before));
  });
}

/** File names that say nothing about a server. */
const general = /^(?:index|main|server|cli)$/;

function fromPackage(word: string): string {
  const last = word
    .replace(/^npm:/, "")
    .replace(/(?!^)@[^@/]*$/, "")
    .split(/[/\\]/)
    .filter((part) => !/^(?:\.{0,2}|dist|build|src)$/.test(part));
  const scope = word.startsWith("@") ? (last[0] ?? "").slice(1) : "";
  const file = (last.at(-1) ?? "").replace(/\.[cm]?[jt]s$|\.py$|:[\w.-]+$|[=<>~^].*$/, "");
  const name = general.test(file) && last.length > 1 ? (last.at(-2) ?? file) : file;
  const short = name.replace(/^mcp[-_]?server[-_]?|^server[-_]|[-_]?mcp[-_]?server$|^mcp[-_]|[-_]mcp$/i, "");
  return short === "" || short === "mcp" ? scope || name : short;
}

/** `npx -y @modelcontextprotocol/server-filesystem ~` is `filesystem`. */
export function nameFromCommand(program: string, args: readonly string[]): string {
  const name = (program.split(/[/\\]/).at(-1) ?? "").replace(/\.(?:exe|cmd|bat)$/i, "");
  // A program in the arguments has no name. Options after a file belong to the file.
  const code = inline.get(name);
  const own = args.findIndex((arg) => !arg.startsWith("-") && arg !== "eval");
  if (code !== undefined && args.slice(0, own === -1 ? args.length : own).some((arg) => code.test(arg))) return name;
  if (containers.has(name)) return fromPackage((imageIn(args) ?? "").replaceAll("_", "-"));
  if (!runners.has(name)) return fromPackage(name);
  const named = args.findIndex((arg) => arg === "-m" || arg === "--module");
  const word = named >= 0 ? args[named + 1] : runIn(args);
  const found = fromPackage((word ?? "").replaceAll("_", "-"));
  if (found !== "" && !general.test(found)) return found;
  // A general file name says little, and its folder may say more.
  const folder = args.find((_, index) => folders.test(args[index - 1] ?? ""));
  return folder === undefined ? found : fromPackage(folder.replaceAll("_", "-"));
}

/** What a runner runs: the first word that isn't an option, an option's value, or a subcommand. */
function runIn(args: readonly string[]): string | undefined {
  return args.find((arg, index) => {
    const before = args[index - 1] ?? "";
    return !arg.startsWith("-") && !verbs.has(arg) && !folders.test(before) && !valued.test(before);
  });
}

/** `https://mcp.linear.app/mcp` is `linear`, `http://localhost:7931/mcp` is `localhost-7931`. */
export function nameFromUrl(url: string): string {
  if (!URL.canParse(url)) return "";
  const { hostname: host, port, pathname } = new URL(url);
  const own = /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(host);
  if (own || /^[\d.]+$|^\[/.test(host)) {
    // A local or numeric host says nothing about the server, but its path may.
    const path = pathname.split("/").findLast((part) => /^[\w.-]+$/.test(part) && !/^(?:mcp|sse|api|v\d+)$/i.test(part));
    const name = path === undefined ? (own ? "localhost" : host) : fromPackage(path);
    return port === "" ? name : `${name}-${port}`;
  }
  const parts = host.split(".").filter((part) => !/^(?:www|mcp|api|app|server|localhost)$/.test(part));
  return (parts.length > 2 ? parts.at(-2) : parts[0]) ?? host;
}

/** The name, with a number if it is taken. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (name === "" || !taken.has(name)) return name;
  for (let number = 2; ; number += 1) if (!taken.has(`${name}-${number}`)) return `${name}-${number}`;
}
