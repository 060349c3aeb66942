// What the host says of a command before it is saved, in its own sentences (crates/policy/src/command.rs).
import type { CommandNote } from "@/ipc/bindings/CommandNote";
import type { Sentence } from "@/ipc/bindings/Sentence";
import { looksSecret } from "@/lib/secrets";
import { said } from "./say";

const shells = new Set(["sh", "bash", "zsh", "dash", "ksh", "fish", "csh", "tcsh", "cmd", "powershell", "pwsh", "busybox", "wsl"]);
const roots = new Set(["sudo", "doas", "pkexec", "su", "runas", "gsudo"]);
const fetchers = new Set(["curl", "wget", "iwr", "invoke-webrequest", "irm", "certutil", "nc", "ncat"]);
const erasers = new Set(["rm", "rmdir", "del", "shred", "dd", "mkfs", "format"]);
const sensitive = /\/\.(?:ssh|aws|gnupg|kube|config|netrc|mozilla)|\/etc\/(?:passwd|shadow)|^(?:\/|~|~\/|\$HOME|\/etc|\/root|C:\\)$/;
const token = /(?:^|=)(?:sk-|gh[pos]_|github_pat_|glpat-|xox[bp]-|AKIA|AIza|eyJ|hf_|npm_)[\w.-]{12,}$/;
const misleading = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/gu;

const baseName = (command: string) => (/([^/\\]*)$/.exec(command.trim())?.[1] ?? "").toLowerCase().replace(/\.(?:exe|cmd|bat|com)$/, "");

function runsText(program: string, flag: string): boolean {
  if (/^(?:ba|z|da|k|fi|c|tc)?sh$/.test(program)) return /^-[^-]*c/.test(flag);
  if (program === "cmd") return /^\/[ck]$/i.test(flag);
  if (/^(?:powershell|pwsh)$/.test(program)) return /^-(?:c|e)|^-file$/i.test(flag);
  if (/^(?:node|bun|ruby|perl)$/.test(program)) return /^(?:-e|--eval|-p|--print|-E)$/.test(flag);
  if (/^(?:npx|npm|pnpm)$/.test(program)) return /^(?:-c|--call)$/.test(flag);
  return /^(?:python[\d.]*|py)$/.test(program) && flag === "-c";
}

function downloaded(program: string, args: readonly string[]): string | undefined {
  const plain = (list: readonly string[]) => list.find((arg) => !arg.startsWith("-"));
  const behind = (word: string) => (args.includes(word) ? plain(args.slice(args.indexOf(word) + 1)) : undefined);
  switch (program) {
    case "npx":
    case "bunx":
      return behind("-p") ?? plain(args);
    case "uvx":
      return behind("--from") ?? plain(args);
    case "pipx":
      return behind("run");
    case "docker":
    case "podman":
      return plain(
        args
          .slice(args.indexOf("run") + 1)
          .filter((_, at, rest) => !/^(?:-v|--volume|-e|--env|--name|--network|-p|-w)$/.test(rest[at - 1] ?? "")),
      );
    case "npm":
      return behind("exec");
    case "pnpm":
    case "yarn":
      return behind("dlx");
    default:
      return undefined;
  }
}

function namesVersion(name: string): boolean {
  if (name.includes("==") || name.includes("@sha256:")) return true;
  const version = /[^@:][@:](.*)$/.exec(name.split("/").at(-1) ?? "")?.[1] ?? "";
  return /\d/.test(version) && !/^[\^~]/.test(version);
}

/** What to look out for in a command with these arguments and variables (their names). */
export function reviewCommand(command: string, args: readonly string[], env: readonly string[] = []): CommandNote[] {
  const program = baseName(command);
  const out: Sentence[] = [];
  const dangers: Sentence[] = [];
  const downloads: Sentence[] = [];
  if (shells.has(program)) out.push(said("{program} is a shell: it does whatever its arguments say", { program }));
  const flag = args.find((arg) => runsText(program, arg));
  if (flag !== undefined) out.push(said("{flag} makes {program} run the text after it as a script", { flag, program }));
  const fetched = downloaded(program, args);
  if (fetched !== undefined) {
    downloads.push(said("{program} downloads and runs {package}: only add it if you trust its publisher", { program, package: fetched }));
    if (!namesVersion(fetched))
      downloads.push(said("no version of {package} is pinned: each start may run a different one", { package: fetched }));
  }
  const words = [program, ...args.flatMap((arg) => arg.split(/[\s|;&()`$'"<>]/)).filter((word) => word !== "")];
  for (const word of words) {
    const name = baseName(word);
    if (roots.has(name)) dangers.push(said("{program} gives it administrator permissions", { program: name }));
    else if (fetchers.has(name)) out.push(said("{program} fetches something from the network", { program: name }));
    else if (erasers.has(name) && (word === program || shells.has(program)))
      dangers.push(said("{program} deletes or overwrites files", { program: name }));
    else if (word.includes("..") && word.includes("/") && !word.includes("://"))
      out.push(said("it points outside its folder: {path}", { path: word }));
    if (/(?:docker|containerd|podman|crio)\.sock/.test(word))
      dangers.push(said("{path} controls this computer’s containers: anyone with access to it can do everything here", { path: word }));
    else if (sensitive.test(word)) out.push(said("{path} contains your secrets or settings", { path: word }));
  }
  if (args.some((arg) => /\|\s?sh|\| bash/.test(arg))) dangers.push(said("it runs what it downloads right away"));
  if (/^(?:docker|podman)$/.test(program)) {
    for (const argument of args)
      if (/^(?:--privileged|--(?:network|net|pid)=host|host|\/:.*|--cap-add.*)$/.test(argument))
        dangers.push(said("{argument} opens the container to this computer", { argument }));
  }
  for (const [index, argument] of args.entries()) {
    const [name = "", value] = argument.split("=", 2);
    const before = args[index - 1] ?? "";
    const holds =
      value === undefined
        ? before.startsWith("-") && !argument.startsWith("-") && looksSecret(before.replace(/^-+/, ""), argument)
        : value !== "" && looksSecret(name.replace(/^-+/, ""), value);
    if (holds || /authorization:|^bearer /i.test(argument) || token.test(argument))
      out.push(
        said("argument {number} looks like a secret, and other programs can read arguments: use an environment variable", {
          number: String(index + 1),
        }),
      );
  }
  for (const name of env) {
    if (
      /^(?:LD_(?:PRELOAD|LIBRARY_PATH|AUDIT)|NODE_(?:OPTIONS|PATH)|PYTHON(?:PATH|STARTUP|HOME)|RUBYOPT|PERL5(?:OPT|LIB)|BASH_ENV|JAVA_TOOL_OPTIONS|ENV|DYLD_.*)$/i.test(
        name,
      )
    )
      out.push(said("{name} loads other code into the program", { name }));
    else if (/^PATH$/i.test(name)) out.push(said("{name} changes where the program looks for others", { name }));
    else if (/^(?:HTTPS?_PROXY|ALL_PROXY|NODE_TLS_REJECT_UNAUTHORIZED|SSL_CERT_FILE)$/i.test(name))
      out.push(said("{name} changes which servers the program contacts", { name }));
  }
  for (const text of [command, ...args]) {
    const characters = [...text.matchAll(misleading)].map(
      ([found]) => `U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`,
    );
    if (characters.length > 0) out.push(said("it contains misleading characters: {characters}", { characters: characters.join(", ") }));
  }
  const distinct = (list: readonly Sentence[]) =>
    list.filter((one, at) => list.findIndex((other) => other.text === one.text) === at).slice(0, 20);
  return [
    ...downloads.map((text) => ({ code: "information" as const, text })),
    ...distinct(dangers).map((text) => ({ code: "danger" as const, text })),
    ...distinct(out).map((text) => ({ code: "warning" as const, text })),
  ];
}
