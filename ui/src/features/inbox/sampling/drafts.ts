// The edits at the two reviews, as the host saves them: only the differences.
import type { SamplingReview } from "@/ipc/bindings/SamplingReview";
import { type Edits, unedited } from "./edits";

type Members = Record<string, unknown>;

function membersOf(value: unknown): Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

function parsed(draft: string | null): Members {
  try {
    return membersOf(JSON.parse(draft ?? "{}"));
  } catch {
    return {}; // not JSON: as if nothing had been kept
  }
}

/** The changed blocks by their indexes, as text. */
const changedBlocks = (before: readonly string[], now: readonly string[]) =>
  Object.fromEntries(now.flatMap((raw, at) => (raw === before[at] ? [] : [[at, raw]])));

const withBlocks = (before: readonly string[], changed: Members) =>
  before.map((raw, at) => {
    const kept = changed[at];
    return typeof kept === "string" ? kept : raw;
  });

/** The edits at the first review. `{}` if there are none. */
export function draftOfRequest(review: SamplingReview, { system, messages, maxTokens, route }: Edits): string {
  const changed =
    messages === review.messages
      ? {}
      : Object.fromEntries(
          messages.flatMap(({ content }, at) => {
            const blocks = changedBlocks(review.messages[at]?.content ?? [], content);
            return Object.keys(blocks).length === 0 ? [] : [[at, blocks]];
          }),
        );
  return JSON.stringify({
    ...(system === review.system ? {} : { system }),
    ...(Object.keys(changed).length === 0 ? {} : { messages: changed }),
    ...(maxTokens === String(review.maxTokens) ? {} : { maxTokens }),
    ...(route?.provider === review.route?.provider && route?.model === review.route?.model
      ? {}
      : { provider: route?.provider ?? null, model: route?.model ?? null }),
  });
}

/** The initial state of the first review: the request with its saved edits. */
export function requestFrom(review: SamplingReview, draft: string | null): Edits {
  const asked = unedited(review);
  const kept = parsed(draft);
  const { system, maxTokens, model } = kept;
  const changed = membersOf(kept["messages"]);
  return {
    system: typeof system === "string" || (system === null && "system" in kept) ? system : asked.system,
    messages:
      Object.keys(changed).length === 0
        ? asked.messages
        : asked.messages.map((message, at) => ({ ...message, content: withBlocks(message.content, membersOf(changed[at])) })),
    maxTokens: typeof maxTokens === "string" ? maxTokens : asked.maxTokens,
    route:
      (typeof model === "string"
        ? review.models.find((route) => route.model === model && route.provider === kept["provider"])
        : undefined) ?? asked.route,
  };
}

/** The edits at the second review. `{}` if there are none. */
export function draftOfAnswer(content: readonly string[], edited: readonly string[] | null): string {
  const blocks = edited === null ? {} : changedBlocks(content, edited);
  return JSON.stringify(Object.keys(blocks).length === 0 ? {} : { content: blocks });
}

/** The answer with its saved edits. Null if there are none. */
export function answerFrom(content: readonly string[], draft: string | null): string[] | null {
  const changed = membersOf(parsed(draft)["content"]);
  const next = withBlocks(content, changed);
  return next.some((raw, at) => raw !== content[at]) ? next : null;
}
