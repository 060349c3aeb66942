// What is weak, each thing found by a function of what is known. Where something isn't known, nothing is found.
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

/** Every kind, with how bad it is. */
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

/** What is looked at, with what can be weak of it. */
const AREAS = [
  ["secrets", ["plainSecret", "secretArgument"]],
  ["connections", ["plainHttp"]],
  ["commands", ["unpinned"]],
  ["reviews", ["changed", "unreviewed"]],
  ["rules", ["allowsAll", "allowsDeleting"]],
  ["apps", ["appUnasked", "sharedKey", "oldKey", "appGetsAll"]],
] as const satisfies readonly (readonly [string, readonly Kind[]])[];

/** Where nothing is weak. */
export const fineAreas = (found: readonly Finding[]) =>
  AREAS.filter(([, kinds]) => kinds.every((kind) => found.every((finding) => finding.kind !== kind))).map(([area]) => area);

export const severities = ["high", "medium", "low"] as const;
export type Severity = (typeof severities)[number];
export type Kind = keyof typeof SEVERITY;

/** Where it is put right. */
export type Target =
  | { readonly at: "server"; readonly id: number; readonly part: "command" | "secrets" | "trust" | "overview" }
  | { readonly at: "review" }
  | { readonly at: "rule"; readonly id: number }
  | { readonly at: "app"; readonly id: string };

export interface Finding {
  /** The same as long as the same thing is weak: the kind, whose it is, and each part of it that is weak, with spaces between. */
  readonly id: string;
  readonly kind: Kind;
  readonly severity: Severity;
  /** The server or app. */
  readonly name?: string;
  /** What of it: packages, variables, tools. */
  readonly parts?: readonly string[];
  readonly count?: number;
  /** The version that a server says it has. */
  readonly version?: string;
  readonly target: Target;
}

type Rest = Omit<Partial<Finding>, "id" | "kind">;

/** `weak`: what it is of it that is weak, by names or hashes, never a secret. */
function finding(kind: Kind, of: string | number, target: Target, rest: Rest = {}, weak: readonly string[] = rest.parts ?? []): Finding {
  const id = [kind, ...[String(of), ...weak].map(asWord)].join(" ");
  return { id, kind, severity: SEVERITY[kind], target, ...rest };
}

/** A text without spaces, no two alike. */
const asWord = (text: string) => JSON.stringify(text).slice(1, -1).replaceAll(" ", "\\u0020");

/** Whether what was said to be fine is all that is weak here. */
export function covers(fine: string, id: string): boolean {
  const [kind, of, ...parts] = fine.split(" ");
  const [otherKind, otherOf, ...others] = id.split(" ");
  const isAll = others.length === 0 ? parts.length === 0 : others.every((other) => parts.includes(other));
  return kind === otherKind && of === otherOf && isAll;
}

/** What is found only of servers that are connected. */
const OF_CONNECTED: ReadonlySet<string> = new Set<Kind>(["allowsDeleting", "changed", "unreviewed", "appGetsAll", "unused"]);

/** Whether what was said to be fine is gone, as far as it was looked for. */
export const isGone = (fine: string, found: readonly Finding[], unconnected: number): boolean =>
  !found.some(({ id }) => covers(fine, id)) && (unconnected === 0 || !OF_CONNECTED.has(fine.split(" ")[0] ?? ""));

/** So much of a hash tells definitions apart. */
const HASH = 16;
const hashOf = ({ server, pin }: Reviewable) => `${server.id}/${pin.hash.slice(0, HASH)}`;

/** The engine's sentences about a command (`crates/policy/src/command.rs`), by what they say. */
const UNPINNED = /^no version of \{package\} is pinned/;
const SECRET_ARGUMENT = /^argument \{number\} looks like a secret/;

/** Packages and images of which each start may run another version. */
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

/** Secrets among the arguments, by what the engine says of them and by their shape. */
export function secretArguments({ id, name, args }: ServerView, notes: readonly CommandNote[], known?: TrustView): Finding[] {
  const isSecret = notes.some(({ text }) => SECRET_ARGUMENT.test(text.code)) || args.some((arg) => looksSecret("", arg));
  if (!isSecret) return [];
  const weak = [known?.definition.hash.slice(0, HASH) ?? ""];
  return [finding("secretArgument", id, { at: "server", id, part: "command" }, { name }, weak)];
}

const isLoopback = (host: string) => /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(host);

/** A URL without encryption that leads to another computer. */
export function plainHttp({ id, name, url }: ServerView): Finding[] {
  if (url === null || !URL.canParse(url)) return [];
  const { protocol, hostname, host } = new URL(url);
  if (protocol !== "http:" || isLoopback(hostname)) return [];
  return [finding("plainHttp", id, { at: "server", id, part: "command" }, { name }, [host])];
}

/** What changed since it was approved, and is blocked. */
export function changed({ id, name, changed: isChanged }: ServerView, known?: TrustView): Finding[] {
  if (!isChanged) return [];
  const pins = known === undefined ? [] : [known.definition, ...known.items];
  const weak = pins
    .filter(({ state }) => state === "changed" || state === "gone")
    .map(({ kind, name: of, state, hash }) => `${kind}/${of}/${state === "gone" ? state : hash.slice(0, HASH)}`);
  return [finding("changed", id, { at: "server", id, part: "trust" }, { name }, weak)];
}

/** Tools that were never reviewed, of all servers. */
export function unreviewed(items: readonly Reviewable[]): Finding[] {
  const fresh = items.filter(({ pin }) => pin.kind === "tool" && pin.state === "new");
  return fresh.length === 0 ? [] : [finding("unreviewed", "all", { at: "review" }, { count: fresh.length }, fresh.map(hashOf))];
}

const isInForce = ({ rule }: RuleView, now: number) => rule.expiresAt === null || rule.expiresAt > now;

/** Rules that let every tool of every server run, whoever calls it. */
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

/** Approved tools that say they can delete data, and run because of a rule for all callers, by rule and server. */
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
/** Unused for so long. */
export const MONTH_DAYS = 30;

/** What is known of a server's use. */
export interface Use {
  /** When a tool of it was called last; null: the log has no call; undefined: not known yet. */
  readonly lastUsed: number | null | undefined;
  /** When its way of being started or reached was approved; null: not known. */
  readonly approvedAt: number | null;
}

/** A running server of which no tool was called for a month. `logSince`: when the oldest event of the log happened. */
export function unused(server: ServerView, { lastUsed, approvedAt }: Use, logSince: number | null, now: number): Finding[] {
  const { id, name } = server;
  const before = now - MONTH_DAYS * DAY;
  // Without a call in the log it counts only where the log and the server are that old.
  const isUnused =
    lastUsed === null ? logSince !== null && logSince < before && approvedAt !== null && approvedAt < before : (lastUsed ?? now) < before;
  if (!isUnused || !answers(server)) return [];
  return [finding("unused", id, { at: "server", id, part: "overview" }, { name }, [String(lastUsed)])];
}

/** How an app is let in, and what it gets. */
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
