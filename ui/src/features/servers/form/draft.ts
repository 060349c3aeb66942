// A server while it is being edited, before the backend has seen it.
import { newServer } from "@/ipc/bindings/defaults";
import type { EraOverride } from "@/ipc/bindings/EraOverride";
import type { SecretPlace } from "@/ipc/bindings/SecretPlace";
import type { ServerInput } from "@/ipc/bindings/ServerInput";
import type { ServerSecret } from "@/ipc/bindings/ServerSecret";
import type { StartRule } from "@/ipc/bindings/StartRule";
import type { Transport } from "@/ipc/bindings/Transport";
import { looksSecret } from "@/lib/secrets";
import { readCommandLine, writeCommandLine } from "@/lib/command-line";
import { freeName, nameFromCommand, nameFromUrl } from "./suggest-name";

/** A variable or header that is being edited. `key` identifies its row, because names may repeat. */
export interface Pair {
  key: number;
  name: string;
  value: string;
  /** Whether its value goes into the vault. Null depends on name and value. */
  seal: boolean | null;
  /** The vault's entry of this name: a value that stays unless another is typed, or a value to be entered. */
  kept: "value" | "none" | null;
}

/** Fields that are edited as text or rows. A draft has the others as the server has them; an empty name is the suggested one. */
type EditedOtherwise = "command" | "args" | "cwd" | "env" | "url" | "headers" | "timeoutMs" | "secrets";

export interface Draft extends Omit<ServerInput, EditedOtherwise> {
  commandLine: string;
  cwd: string;
  env: Pair[];
  url: string;
  headers: Pair[];
  /** Seconds as typed. Empty for the setting of all servers. */
  timeout: string;
}

/** A server without what a view of it has beside its fields. */
export const fieldsOf = (server: ServerInput): ServerInput =>
  Object.fromEntries(Object.keys(newServer).map((field) => [field, server[field as keyof ServerInput]])) as unknown as ServerInput;

export type DraftField = Exclude<keyof ServerInput, "transport" | "args" | "secrets">;
export type DraftProblem =
  | "needed"
  | "too_long"
  | "taken"
  | "unclosed_quote"
  | "not_absolute"
  | "bad_name"
  | "twice"
  | "bad_url"
  | "bad_scheme"
  | "user_in_url"
  | "bad_time";
export type DraftProblems = Partial<Record<DraftField, DraftProblem>>;

let lastKey = 0;

/** A row for a name and a value. */
export function pair(name = "", value = "", rest: Partial<Pick<Pair, "seal" | "kept">> = {}): Pair {
  lastKey += 1;
  return { key: lastKey, name, value, seal: null, kept: null, ...rest };
}

/** Whether a row's value is encrypted: by the person's choice, or if it looks like a secret. */
export const isSealed = ({ seal, kept, name, value }: Pair): boolean => seal ?? (kept !== null || looksSecret(name, value));

const filled = (rows: readonly Pair[]) => rows.filter((row) => row.name !== "" || row.value !== "");
const record = (rows: readonly Pair[]) =>
  Object.fromEntries(
    filled(rows)
      .filter((row) => !isSealed(row))
      .map((row) => [row.name.trim(), row.value]),
  );

/** The rows for saved values, encrypted ones last. Values saved as plain text aren't suggested for encryption. */
function pairs(values: Record<string, string | undefined>, secrets: readonly ServerSecret[], place: SecretPlace): Pair[] {
  return [
    ...Object.entries(values).map(([name, value]) => pair(name, value ?? "", { seal: false })),
    ...secrets
      .filter((secret) => secret.place === place)
      .map((secret) => pair(secret.name, "", { seal: true, kept: secret.entered ? "value" : "none" })),
  ];
}

/** The encrypted values of the rows. Without a new value, the one in the vault stays. */
function sealedOf(rows: readonly Pair[], place: SecretPlace): ServerSecret[] {
  return filled(rows)
    .filter((row) => isSealed(row))
    .map(({ name, value, kept }) => ({
      place,
      name: name.trim(),
      value: value === "" ? null : value,
      entered: kept === "value" || value !== "",
    }));
}

/** Variables before the command: those that look like secrets are encrypted. The table has priority. */
function lineRows(env: Readonly<Record<string, string>>, table: readonly Pair[]): Pair[] {
  const there = new Set(table.map((row) => row.name.trim()));
  return Object.entries(env)
    .filter(([name]) => !there.has(name))
    .map(([name, value]) => pair(name, value));
}

/** The eras of a transport. */
export function erasFor(transport: Transport): readonly EraOverride[] {
  return transport === "stdio" ? ["auto", "modern", "session"] : ["auto", "modern", "session", "sse"];
}

/** When a server can be started. */
export const START_RULES = ["with_mooring", "on_use"] as const satisfies readonly StartRule[];

/** The era to save. Automatic if the transport doesn't have the chosen one. */
export function eraFor({ era, transport }: Pick<Draft, "era" | "transport">): EraOverride {
  return erasFor(transport).includes(era) ? era : "auto";
}

/** An empty draft. */
export function emptyDraft(transport: Transport): Draft {
  return { ...draftOf(newServer), transport };
}

/** A saved server as a draft. */
export function draftOf(server: ServerInput): Draft {
  const { command, args, secrets, timeoutMs, ...others } = fieldsOf(server);
  return {
    ...others,
    commandLine: command === null ? "" : writeCommandLine(command, args),
    cwd: others.cwd ?? "",
    env: pairs(others.env, secrets, "env"),
    url: others.url ?? "",
    headers: pairs(others.headers, secrets, "header"),
    timeout: timeoutMs === null ? "" : String(timeoutMs / 1000),
  };
}

/** The name if none is typed. */
export function suggestedName(draft: Draft, taken: ReadonlySet<string>): string {
  const line = readCommandLine(draft.commandLine);
  return freeName(draft.transport === "stdio" ? nameFromCommand(line.program, line.args) : nameFromUrl(completeUrl(draft.url)), taken);
}

/** The server of the draft. Variables on the command line count like those in the table. */
export function inputOf(draft: Draft, taken: ReadonlySet<string>): ServerInput {
  const { commandLine, timeout, ...others } = draft;
  const local = draft.transport === "stdio";
  const line = readCommandLine(commandLine);
  const env = local ? [...lineRows(line.env, draft.env), ...draft.env] : [];
  return {
    ...others,
    name: draft.name.trim() || suggestedName(draft, taken),
    command: local ? line.program : null,
    args: local ? line.args : [],
    env: record(env),
    cwd: local && draft.cwd.trim() !== "" ? draft.cwd.trim() : null,
    url: local ? null : completeUrl(draft.url),
    headers: local ? {} : record(draft.headers),
    timeoutMs: timeout.trim() === "" ? null : Math.round(Number(timeout) * 1000),
    era: eraFor(draft),
    secrets: local ? sealedOf(env, "env") : sealedOf(draft.headers, "header"),
  };
}

/** The form's field that the backend means: encrypted values are among the plain ones. */
export function fieldOf(named: string | null, transport: Transport): string | null {
  return named === "secrets" ? (transport === "stdio" ? "env" : "headers") : named;
}

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

function pairProblem(rows: readonly Pair[], good: RegExp): DraftProblem | undefined {
  const names = filled(rows).map((row) => row.name.trim());
  if (names.some((name) => !good.test(name))) return "bad_name";
  // Header names are case-insensitive.
  const same = good === headerName ? names.map((name) => name.toLowerCase()) : names;
  return new Set(same).size < same.length ? "twice" : undefined;
}

/** Completes a URL without a scheme: `http` for this computer, `https` for others. */
export function completeUrl(typed: string): string {
  const url = typed.trim();
  const host = /^(\[[\da-f:.]+\]|[a-z\d.-]+)(?::\d+)?(?:[/?#]|$)/i.exec(url)?.[1];
  if (host === undefined) return url;
  const own = /^(?:localhost|.+\.localhost|127\.[\d.]+|\[::1\])$/i.test(host);
  // A single word without a port or a path is probably unfinished.
  if (!own && !/[.[]/.test(host)) return url;
  return `${own ? "http" : "https"}://${url}`;
}

function urlProblem(url: string): DraftProblem | undefined {
  if (url === "") return "needed";
  if (!URL.canParse(url)) return "bad_url";
  const parsed = new URL(url);
  if (parsed.protocol !== "https:" && parsed.protocol !== "http:") return "bad_scheme";
  return parsed.username !== "" || parsed.password !== "" ? "user_in_url" : undefined;
}

/** What prevents saving the draft, by field. */
export function problemsOf(draft: Draft, taken: ReadonlySet<string>): DraftProblems {
  const out: DraftProblems = {};
  const put = (field: DraftField, problem: DraftProblem | undefined | false) => {
    if (problem) out[field] = problem;
  };
  const { name } = inputOf(draft, taken);
  if (draft.transport === "stdio") {
    const line = readCommandLine(draft.commandLine);
    put("command", line.problem ?? (line.program === "" && "needed"));
    put("cwd", draft.cwd.trim() !== "" && !/^(?:\/|[A-Za-z]:[\\/])/.test(draft.cwd.trim()) && "not_absolute");
    put("env", pairProblem(draft.env, /^[^=\0\s]+$/));
  } else {
    put("url", urlProblem(completeUrl(draft.url)));
    put("headers", pairProblem(draft.headers, headerName));
  }
  // The name is suggested from the command or URL, so only their mistakes are shown.
  const suggests = out.command === undefined && out.url === undefined;
  put("name", name === "" ? suggests && "needed" : name.length > 128 ? "too_long" : taken.has(name) && "taken");
  const seconds = Number(draft.timeout);
  put("timeoutMs", draft.timeout.trim() !== "" && !(Number.isFinite(seconds) && seconds >= 1 && seconds <= 86_400) && "bad_time");
  return out;
}
