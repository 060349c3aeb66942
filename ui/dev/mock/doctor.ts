// The checks of a server or of Mooring itself, as the real backend words them.
import type { Check } from "@/ipc/bindings/Check";
import type { CheckCode } from "@/ipc/bindings/CheckCode";
import type { Sentence } from "@/ipc/bindings/Sentence";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { said } from "./say";

const check = (code: CheckCode, title: string, part: Partial<Check>): Check => ({
  code,
  title: said(title),
  subject: null,
  outcome: "passed",
  evidence: [],
  quoted: null,
  error: null,
  next: null,
  fix: null,
  tookMs: 3,
  ...part,
});

const passed = (code: CheckCode, title: string, ...evidence: Sentence[]) => check(code, title, { evidence });
const skipped = (code: CheckCode, title: string, reason: Sentence) => check(code, title, { outcome: "skipped", evidence: [reason] });

/** What follows the step that fails: the program of a local server, the connection to a URL. */
const after: readonly [CheckCode, string][] = [
  ["approval", "Approval"],
  ["protocol", "Protocol version"],
  ["tools", "List of tools"],
];

/** The checks of a server that can't be reached or that works. */
function serverChecks(server: ServerView): Check[] {
  const { failure } = server;
  if (failure !== null) {
    const [code, title] =
      server.transport === "stdio" ? (["program", "Program and folder"] as const) : (["connection", "Connection (TCP)"] as const);
    const failed = check(code, title, {
      outcome: "failed",
      evidence: [failure.message],
      quoted: failure.evidence,
      error: failure.code,
      next: failure.next,
      fix: { kind: "edit_server" },
    });
    return [failed, ...after.map(([later, name]) => skipped(later, name, said("“{check}” failed", { check: said(title) })))];
  }
  const program = `/home/ada/.nvm/versions/node/v22.3.1/bin/${server.command ?? "npx"}`;
  return [
    passed(
      "program",
      "Program and folder",
      said("{program} was found in {whose}", { program, whose: said("your login shell’s PATH") }),
      said("it belongs to {manager}", { manager: "nvm" }),
    ),
    skipped("secrets", "Secrets", said("it has no encrypted values")),
    passed("approval", "Approval", said("it is as you approved it")),
    passed("start", "Start", said("it is running as process {pid}; it wasn’t started again", { pid: "4711" })),
    passed("output", "Standard output", said("nothing but messages was printed")),
    passed("protocol", "Protocol version", said("protocol version {revision}", { revision: server.revision ?? "2025-11-25" })),
    passed("tools", "List of tools", said("the number of tools is {count}", { count: String(server.toolCount ?? 0) })),
  ];
}

const wholeChecks: readonly Check[] = [
  passed("data_folder", "Data folder", said("Mooring can write to {path}", { path: "/home/ada/.local/share/mooring" })),
  passed("disk_space", "Disk space", said("{size} MiB are free", { size: "48213" })),
  passed("database", "Database", said("it was checked when Mooring opened it"), said("there is a backup")),
  passed("log", "Log", said("it can be written")),
  passed("keychain", "Vault key", said("the key is in the system’s keychain")),
  passed("login_shell", "Login shell", said("{shell} answered", { shell: "/bin/zsh" })),
  passed("network_settings", "Network settings", said("the saved settings are in force")),
  check("app_entry", "App", {
    subject: "Cursor",
    outcome: "failed",
    evidence: [said("its entry has no key that Mooring knows, so it can’t connect")],
    next: said("Connect the app again, so that it gets a key."),
    fix: { kind: "open_app", app: "cursor" },
  }),
];

/** The checks of a server, or of Mooring itself. */
export const checksOf = (server: ServerView | null): readonly Check[] => (server === null ? wholeChecks : serverChecks(server));

/** The report that the backend makes of them. */
export const reportOf = (checks: readonly Check[]): string =>
  ["Mooring 0.1.0 on linux x86_64", ...checks.map(({ outcome, title, code }) => `[${outcome}] ${title.text} (${code})`)].join("\n");
