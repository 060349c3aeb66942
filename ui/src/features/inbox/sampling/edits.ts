// The person's edits of a request before it goes to a model.
import type { SamplingMessage } from "@/ipc/bindings/SamplingMessage";
import type { SamplingReview } from "@/ipc/bindings/SamplingReview";
import type { SamplingRoute } from "@/ipc/bindings/SamplingRoute";

export interface Edits {
  readonly system: string | null;
  readonly messages: readonly SamplingMessage[];
  /** As typed. */
  readonly maxTokens: string;
  readonly route: SamplingRoute | null;
}

export const unedited = ({ system, messages, maxTokens, route }: SamplingReview): Edits => ({
  system,
  messages,
  maxTokens: String(maxTokens),
  route,
});

/** The largest number that the host accepts. Servers may send it to mean no limit. */
const MOST_TOKENS = 2 ** 32 - 1;

/** The number of tokens for the answer. Null if it is invalid. */
export function tokensOf(typed: string): number | null {
  const value = Number(typed);
  return /^\d{1,10}$/.test(typed.trim()) && value > 0 && value <= MOST_TOKENS ? value : null;
}

const sameRoute = (a: SamplingRoute | null, b: SamplingRoute | null) => a?.provider === b?.provider && a?.model === b?.model;

/** Whether the texts differ from the request. */
export const isReworded = (review: SamplingReview, edits: Edits): boolean =>
  edits.system !== review.system || edits.messages !== review.messages;

/** Whether the texts or limits differ from the request. */
export function isEdited(review: SamplingReview, edits: Edits): boolean {
  return isReworded(review, edits) || tokensOf(edits.maxTokens) !== review.maxTokens;
}

/** The content for the host. Null if nothing was edited. Unedited blocks stay identical, byte for byte. */
export function samplingContent(review: SamplingReview, edits: Edits): string | null {
  if (!isEdited(review, edits) && sameRoute(edits.route, review.route)) return null;
  const messages = edits.messages.map(({ role, content }) => `{"role":${JSON.stringify(role)},"content":[${content.join(",")}]}`);
  return `{"system":${JSON.stringify(edits.system)},"messages":[${messages.join(",")}],"maxTokens":${tokensOf(edits.maxTokens) ?? review.maxTokens},"provider":${JSON.stringify(edits.route?.provider ?? null)},"model":${JSON.stringify(edits.route?.model ?? null)}}`;
}

/** The conversation with one block changed. */
export function withBlock(messages: readonly SamplingMessage[], message: number, block: number, raw: string): SamplingMessage[] {
  return messages.map((item, at) => (at === message ? { ...item, content: item.content.with(block, raw) } : item));
}
