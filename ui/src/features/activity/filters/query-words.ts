// Typed filters: `app:cursor status:error` in the search field. Everything else is search text.
import type { LogFacets } from "@/ipc/bindings/LogFacets";
import { appName } from "@/lib/callers";
import { type ActivitySearch, KINDS, OUTCOMES, without } from "../search";

/** A keyword with a value, possibly quoted, at the start of the text or after a space. */
const WORD = /(?<=^|\s)(app|server|method|status|kind):("[^"]+"|[^\s"]+)(?=\s|$)/gi;
const TYPING = /(?:^|\s)(?:app|server|method|status|kind):(?:"[^"]*|\S*)$/i;
const QUOTED = /^"([^"]+)"$/;

/** Common words for kinds that are recorded under another name. */
const KIND_WORDS = new Map([
  ["message", "frame"],
  ["decision", "verdict"],
]);
const STATUS_WORDS = new Map([["timeout", "timed_out"]]);

/** Whether a filter is being typed at the end. */
export const isTyping = (text: string): boolean => TYPING.test(text);

/** The filters in a typed text, and the remaining search text: `"quoted text"` without its quotes. */
export function readQuery(typed: string, facets: LogFacets): { parts: ActivitySearch; text: string } {
  const parts: ActivitySearch = {};
  const rest = typed.replaceAll(WORD, (whole, name: string, given: string) =>
    take(parts, name.toLowerCase(), QUOTED.exec(given)?.[1] ?? given, facets) ? "" : whole,
  );
  const text = rest === typed ? typed : rest.replaceAll(/\s+/g, " ").trim();
  return { parts, text: QUOTED.exec(text.trim())?.[1] ?? text };
}

/** Adds the typed filters and text. */
export function withQuery(search: ActivitySearch, parts: ActivitySearch, text: string): ActivitySearch {
  const base = without(search, "text", ...(parts.server === undefined ? [] : (["serverId"] as const)));
  return { ...base, ...parts, ...(text === "" ? {} : { text }) };
}

/** Adds a filter. Returns false if its value is invalid. Apps and servers must be in the log. */
function take(parts: ActivitySearch, name: string, value: string, facets: LogFacets): boolean {
  if (name === "status") return add(parts, "outcome", OUTCOMES, STATUS_WORDS.get(value.toLowerCase()) ?? value);
  if (name === "kind") return add(parts, "kind", KINDS, KIND_WORDS.get(value.toLowerCase()) ?? value);
  if (name === "app") return put(parts, "app", known(facets.apps, value) ?? facets.apps.find((id) => same(appName(id), value)));
  if (name === "server") return put(parts, "server", known(facets.sources, value));
  return put(parts, "method", known(facets.methods, value) ?? value);
}

function put(parts: ActivitySearch, part: "app" | "server" | "method", value: string | undefined): boolean {
  if (value !== undefined) parts[part] = value;
  return value !== undefined;
}

function add(parts: ActivitySearch, part: "outcome" | "kind", all: readonly string[], value: string): boolean {
  const word = all.find((one) => same(one, value));
  if (word === undefined) return false;
  const chosen = new Set([...(parts[part]?.split(",") ?? []), word]);
  parts[part] = all.filter((one) => chosen.has(one)).join(",");
  return true;
}

/** The recorded spelling of a typed name. */
const known = (names: readonly string[], typed: string): string | undefined => names.find((name) => same(name, typed));
const same = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
