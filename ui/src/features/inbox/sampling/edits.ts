// What the person changes in a request before it goes to a model.
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

/** As many as the host can count: a server may ask for no limit by the largest figure. */
const MOST_TOKENS = 2 ** 32 - 1;

/** The tokens of the answer as a number; null where that makes no sense. */
export function tokensOf(typed: string): number | null {
  const value = Number(typed);
  return /^\d{1,10}$/.test(typed.trim()) && value > 0 && value <= MOST_TOKENS ? value : null;
}

const sameRoute = (a: SamplingRoute | null, b: SamplingRoute | null) => a?.provider === b?.provider && a?.model === b?.model;

/** The words differ from what was asked. */
export const isReworded = (review: SamplingReview, edits: Edits): boolean =>
  edits.system !== review.system || edits.messages !== review.messages;

/** The words or limits differ from what was asked. */
export function isEdited(review: SamplingReview, edits: Edits): boolean {
  return isReworded(review, edits) || tokensOf(edits.maxTokens) !== review.maxTokens;
}

/** What goes to the host: none where everything is as it was asked. Blocks that were not touched go byte for byte. */
export function samplingContent(review: SamplingReview, edits: Edits): string | null {
  if (!isEdited(review, edits) && sameRoute(edits.route, review.route)) return null;
  const messages = edits.messages.map(({ role, content }) => `{"role":${JSON.stringify(role)},"content":[${content.join(",")}]}`);
  return `{"system":${JSON.stringify(edits.system)},"messages":[${messages.join(",")}],"maxTokens":${tokensOf(edits.maxTokens) ?? review.maxTokens},"provider":${JSON.stringify(edits.route?.provider ?? null)},"model":${JSON.stringify(edits.route?.model ?? null)}}`;
}

/** The same conversation with one block changed. */
export function withBlock(messages: readonly SamplingMessage[], message: number, block: number, raw: string): SamplingMessage[] {
  return messages.map((item, at) => (at === message ? { ...item, content: item.content.with(block, raw) } : item));
}
