// A server's capabilities as a sentence. The exact JSON is one click away.
import type { TFunction } from "i18next";
import { formatList } from "@/lib/format";

const object = (value: unknown): Record<string, unknown> | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;

/** The server's offers, in our words. */
export function offersOf(
  capabilities: string,
  counts: { tools: number | null; resources: number | null; prompts: number | null },
  t: TFunction<"servers">,
  language: string,
): string {
  let parsed: Record<string, unknown> | null;
  try {
    parsed = object(JSON.parse(capabilities));
  } catch {
    return t("offers.unreadable");
  }
  if (parsed === null) return t("offers.unreadable");
  const has = (name: string) => parsed[name] !== undefined && parsed[name] !== null;
  const sub = (name: string, flag: string) => object(parsed[name])?.[flag] === true;
  const words: string[] = [];
  if (has("tools")) words.push(counts.tools === null ? t("offers.tools") : t("offers.toolCount", { count: counts.tools }));
  if (has("resources")) {
    const live = sub("resources", "subscribe");
    if (counts.resources === null) words.push(t(live ? "offers.resourcesLive" : "offers.resources"));
    else words.push(t(live ? "offers.resourceCountLive" : "offers.resourceCount", { count: counts.resources }));
  }
  if (has("prompts")) words.push(counts.prompts === null ? t("offers.prompts") : t("offers.promptCount", { count: counts.prompts }));
  if (has("completions")) words.push(t("offers.completions"));
  if (has("tasks")) words.push(t("offers.tasks"));
  if (has("logging")) words.push(t("offers.logging"));
  const known = new Set(["tools", "resources", "prompts", "completions", "tasks", "logging"]);
  const others = Object.keys(parsed).filter((name) => !known.has(name));
  if (others.length > 0) words.push(t("offers.others", { count: others.length }));
  return words.length === 0 ? t("offers.nothing") : formatList(words, language);
}
