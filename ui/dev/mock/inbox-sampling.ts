// What servers ask models, and what models answer.
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";
import type { SamplingRoute } from "@/ipc/bindings/SamplingRoute";
import { question } from "./recorded";
import { said } from "./say";

type Review = Extract<InteractionQuestion, { kind: "sampling" }>;
type Answer = Extract<InteractionQuestion, { kind: "sampling_answer" }>;

const block = (value: unknown) => JSON.stringify(value);
const claude: SamplingRoute = {
  provider: 1,
  providerName: "Anthropic",
  host: "api.anthropic.com",
  model: "claude-sonnet-5",
  reason: said("the server asks for a model like: {hint}", { hint: "sonnet" }),
  cost: 0.0184,
};
export const ollama: SamplingRoute = {
  provider: 2,
  providerName: "Ollama",
  host: null,
  model: "qwen4:14b",
  reason: said("it best matches the server’s priorities"),
  cost: 0,
};
const recorded = question("review", "sampling");

export const review: Review = {
  ...recorded,
  route: claude,
  models: [claude, ollama, ...recorded.models],
  tokens: 1_204,
  budget: { requests: 4, tokens: 41_300, cost: 0.37 },
  round: 2,
};

export const answer: Answer = {
  kind: "sampling_answer",
  model: "claude-sonnet-5",
  providerName: "Anthropic",
  streaming: false,
  content: [
    block({
      type: "text",
      text: "Buoy 7 is unlit and the east pier is closed until further notice. Dredging at north-2 keeps that berth from use. The other berths are not touched.",
    }),
  ],
  stopReason: "endTurn",
  usage: { inputTokens: 1_188, outputTokens: 46, cost: 0.0042 },
  problem: null,
};
export const streamingAnswer: Answer = {
  ...answer,
  model: "qwen4:14b",
  providerName: "Ollama",
  streaming: true,
  content: [block({ type: "text", text: "Buoy 7 is unlit and the east" })],
  stopReason: null,
  usage: null,
};
export const brokenAnswer: Answer = {
  ...answer,
  content: [],
  stopReason: null,
  usage: null,
  problem: said("the provider accepts no more requests for {seconds} s: {said}", { seconds: "20", said: "rate_limit_error" }),
};
export const spentAnswer: Answer = {
  ...brokenAnswer,
  problem: said("the server’s budget of {limit} tokens a day is used up", { limit: "200000" }),
};
export const refusedAnswer: Answer = {
  ...answer,
  content: [block({ type: "text", text: "I cannot help with that." })],
  stopReason: "refusal",
  usage: { inputTokens: 412, outputTokens: 7, cost: null },
};
