// Finds weaknesses, each with its own function. Unknown data leads to no finding.
import { levelInForce, needsKey, standingOf, uses } from "@/lib/app-standing";
import { answers } from "@/features/servers/actions";
import type { AppView } from "@/ipc/bindings/AppView";
import type { CommandNote } from "@/ipc/bindings/CommandNote";
import type { RuleView } from "@/ipc/bindings/RuleView";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { ToolAccess } from "@/ipc/bindings/ToolAccess";
import type { TrustView } from "@/ipc/bindings/TrustView";
import type { Reviewable } from "@/lib/approvals";
import { looksSecret } from "@/lib/secrets";
import { saysDestructive } from "@/lib/tool-claims";

/** Every kind with its severity. */
const SEVERITY = {
  plainSecret: "high",
  secretArgument: "high",
  plainHttp: "high",
  allowsAll: "high",
  appUnasked: "high",
  sharedKey: "high",
  allowsDeleting: "medium",
  unpinned: "medium",
  changed: "medium",
  oldKey: "medium",
  unreviewed: "low",
  appGetsAll: "low",
  unused: "low",
} as const;

/** The areas, with their kinds of findings. */
const AREAS = [
  ["secrets", ["plainSecret", "secretArgument"]],
  ["connections", ["plainHttp"]],
  ["commands", ["unpinned"]],
  ["reviews", ["changed", "unreviewed"]],
  ["rules", ["allowsAll", "allowsDeleting"]],
  ["apps", ["appUnasked", "sharedKey", "oldKey", "appGetsAll"]],
] as const satisfies readonly (readonly [string, readonly Kind[]])[];

/** The areas without findings. */
export const fineAreas = (found: readonly Finding[]) =>
  AREAS.filter(([, kinds]) => kinds.every((kind) => found.every((finding) => finding.kind !== kind))).map(([area]) => area);

export const severities = ["high", "medium", "low"] as const;
export type Severity = (typeof severities)[number];
export type Kind = keyof typeof SEVERITY;

/** Where it can be fixed. */
export type Target =
  | { readonly at: "server"; readonly id: number; readonly part: "command" | "secrets" | "trust" | "overview" }
  | { readonly at: "review" }
  | { readonly at: "rule"; readonly id: number }
  | { readonly at: "app"; readonly id: string };

export interface Finding {
  /** Stable while the weakness is the same: the kind, its owner, and each weak part, separated by spaces. */
  readonly id: string;
  readonly kind: Kind;
  readonly severity: Severity;
  /** The name of the server or app. */
  readonly name?: string;
  /** The affected parts: packages, variables, tools. */
  readonly parts?: readonly string[];
  readonly count?: number;
  /** The version that a server reports. */
  readonly version?: string;
  readonly target: Target;
}

type Rest = Omit<Partial<Finding>, "id" | "kind">;

/** `weak`: the weak parts, as names or hashes, never secrets. */
function finding(kind: Kind, of: string | number, target: Target, rest: Rest = {}, weak: readonly string[] = rest.parts ?? []): Finding {
  const id = [kind, ...[String(of), ...weak].map(asWord)].join(" ");
  return { id, kind, severity: SEVERITY[kind], target, ...rest };
}

/** A unique text without spaces. */
const asWord = (text: string) => JSON.stringify(text).slice(1, -1).replaceAll(" ", "\\u0020");

/** Whether an accepted finding covers this one. */
export function covers(fine: string, id: string): boolean {
  const [kind, of, ...parts] = fine.split(" ");
  const [otherKind, otherOf, ...others] = id.split(" ");
  const isAll = others.length === 0 ? parts.length === 0 : others.every((other) => parts.includes(other));
  return kind === otherKind && of === otherOf && isAll;
}

/** Findings that need a connected server. */
const OF_CONNECTED: ReadonlySet<string> = new Set<Kind>(["allowsDeleting", "changed", "unreviewed", "appGetsAll", "unused"]);

/** Whether an accepted finding no longer exists, as far as that could be checked. */
export const isGone = (fine: string, found: readonly Finding[], unconnected: number): boolean =>
  !found.some(({ id }) => covers(fine, id)) && (unconnected === 0 || !OF_CONNECTED.has(fine.split(" ")[0] ?? ""));

/** How many characters of a hash distinguish definitions. */
const HASH = 16;
const hashOf = ({ server, pin }: Reviewable) => `${server.id}/${pin.hash.slice(0, HASH)}`;

/** The engine's warnings about a command (`crates/policy/src/command.rs`), by their text. */
const UNPINNED = /^no version of \{package\} is pinned/;
const SECRET_ARGUMENT = /^argument \{number\} looks like a secret/;

/** Packages and images without a version, so that each start may run another one. */
export function unpinned(server: ServerView, notes: readonly CommandNote[]): Finding[] {
  const parts = notes.flatMap(({ text }) => {
    const name = UNPINNED.test(text.code) ? text.params["package"] : undefined;
    return typeof name === "string" ? [name] : [];
  });
  if (parts.length === 0) return [];
  const { id, name, serverVersion } = server;
  const version = serverVersion !== null && /^v?\d[\w.+-]{0,30}$/.test(serverVersion) ? { version: serverVersion } : {};
  return [finding("unpinned", id, { at: "server", id, part: "command" }, { name, parts, ...version })];
}

/** Variables and headers that look like secrets and aren't in the vault. */
export function plainSecrets({ id, name, transport, env, headers }: ServerView): Finding[] {
  const values = Object.entries(transport === "stdio" ? env : headers);
  const parts = values.filter(([key, value]) => value !== undefined && value !== "" && looksSecret(key, value)).map(([key]) => key);
  if (parts.length === 0) return [];
  return [finding("plainSecret", id, { at: "server", id, part: "secrets" }, { name, parts, count: parts.length })];
}

/** Secrets in the arguments, by the engine's warnings and by their form. */
export function secretArguments({ id, name, args }: ServerView, notes: readonly CommandNote[], known?: TrustView): Finding[] {
  const isSecret = notes.some(({ text }) => SECRET_ARGUMENT.test(text.code)) || args.some((arg) => looksSecret("", arg));
  if (!isSecret) return [];
  const weak = [known?.definition.hash.slice(0, HASH) ?? ""];
  return [finding("secretArgument", id, { at: "server", id, part: "command" }, { name }, weak)];
}

const isLoopback = (host: string) => /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(host);

/** An unencrypted URL to another computer. */
export function plainHttp({ id, name, url }: ServerView): Finding[] {
  if (url === null || !URL.canParse(url)) return [];
  const { protocol, hostname, host } = new URL(url);
  if (protocol !== "http:" || isLoopback(hostname)) return [];
  return [finding("plainHttp", id, { at: "server", id, part: "command" }, { name }, [host])];
}

/** What has changed since its approval, and is blocked. */
export function changed({ id, name, changed: isChanged }: ServerView, known?: TrustView): Finding[] {
  if (!isChanged) return [];
  const pins = known === undefined ? [] : [known.definition, ...known.items];
  const weak = pins
    .filter(({ state }) => state === "changed" || state === "gone")
    .map(({ kind, name: of, state, hash }) => `${kind}/${of}/${state === "gone" ? state : hash.slice(0, HASH)}`);
  return [finding("changed", id, { at: "server", id, part: "trust" }, { name }, weak)];
}

/** Unreviewed tools of all servers. */
export function unreviewed(items: readonly Reviewable[]): Finding[] {
  const fresh = items.filter(({ pin }) => pin.kind === "tool" && pin.state === "new");
  return fresh.length === 0 ? [] : [finding("unreviewed", "all", { at: "review" }, { count: fresh.length }, fresh.map(hashOf))];
}

const isInForce = ({ rule }: RuleView, now: number) => rule.expiresAt === null || rule.expiresAt > now;

/** Rules that allow every tool of every server for every caller. */
export function allowsAll(rules: readonly RuleView[], now: number): Finding[] {
  return rules
    .filter((view) => {
      const { effect, server, caller, tool, arguments: conditions } = view.rule;
      const isWide = server === null && caller === null && conditions.length === 0 && /^\**$/.test(tool ?? "");
      return effect === "allow" && isWide && !view.pinned && isInForce(view, now);
    })
    .map(({ id, createdAt }) => finding("allowsAll", id, { at: "rule", id }, {}, [String(createdAt)]));
}

export interface Access {
  readonly server: ServerView;
  readonly tools: readonly ToolAccess[];
}

/** Approved tools that claim to delete data, and are allowed for all callers, by rule and server. */
export function allowsDeleting(access: readonly Access[], items: readonly Reviewable[], rules: readonly RuleView[]): Finding[] {
  const forAll = new Set(rules.filter(({ rule, changed: isChanged }) => rule.caller === null && !isChanged).map(({ id }) => id));
  return access.flatMap(({ server, tools }) => {
    const deleting = new Map(deletingOf(items).flatMap((item) => (item.server.id === server.id ? [[item.pin.name, hashOf(item)]] : [])));
    const found = tools.filter(({ tool, effect, rule }) => effect === "allow" && rule !== null && forAll.has(rule) && deleting.has(tool));
    return [...Map.groupBy(found, ({ rule }) => rule ?? 0)].map(([rule, of]) =>
      finding(
        "allowsDeleting",
        `${rule}/${server.id}`,
        { at: "rule", id: rule },
        { name: server.name, parts: of.map(({ tool }) => tool), count: of.length },
        of.map(({ tool }) => deleting.get(tool) ?? tool),
      ),
    );
  });
}

const deletingOf = (items: readonly Reviewable[]) =>
  items.filter(({ pin, hints }) => pin.kind === "tool" && pin.state === "approved" && saysDestructive(hints));

const DAY = 24 * 3_600_000;
/** After this time without use, a server counts as unused. */
export const MONTH_DAYS = 30;

/** What is known about a server's use. */
export interface Use {
  /** The last call of its tools. Null if the log has none, undefined if not known yet. */
  readonly lastUsed: number | null | undefined;
  /** When its command or URL was approved. Null if unknown. */
  readonly approvedAt: number | null;
}

/** A running server without a tool call for a month. `logSince` is the time of the oldest event in the log. */
export function unused(server: ServerView, { lastUsed, approvedAt }: Use, logSince: number | null, now: number): Finding[] {
  const { id, name } = server;
  const before = now - MONTH_DAYS * DAY;
  // Without a logged call it only counts if the log and the server are old enough.
  const isUnused =
    lastUsed === null ? logSince !== null && logSince < before && approvedAt !== null && approvedAt < before : (lastUsed ?? now) < before;
  if (!isUnused || !answers(server)) return [];
  return [finding("unused", id, { at: "server", id, part: "overview" }, { name }, [String(lastUsed)])];
}

/** An app's access, and what it gets. */
export function ofApp(app: AppView, items: readonly Reviewable[]): Finding[] {
  const { id, title: name, off, seesPrompts, seesResources, asksPerson } = app;
  const target = { at: "app", id } as const;
  const out: Finding[] = [];
  if (needsKey(app)) out.push(finding("oldKey", id, target, { name }));
  if (standingOf(app) === "sharedKey") out.push(finding("sharedKey", id, target, { name }, [app.repository ?? ""]));
  if (!uses(app)) return out;
  if (levelInForce(app) === "app_asks" && !asksPerson) out.push(finding("appUnasked", id, target, { name }));
  const deleting = deletingOf(items).filter(({ pin }) => pin.forApps?.leftOut !== true);
  const getsAll = off.length === 0 && seesPrompts && seesResources && levelInForce(app) !== "read_only";
  if (getsAll && deleting.length > 0) out.push(finding("appGetsAll", id, target, { name, count: deleting.length }, deleting.map(hashOf)));
  return out;
}
