// Servers' sampling requests, and models' answers.
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";
import type { SamplingRoute } from "@/ipc/bindings/SamplingRoute";
import type { Sentence } from "@/ipc/bindings/Sentence";
import { question } from "./recorded";
import { said } from "./say";

type Review = Extract<InteractionQuestion, { kind: "sampling" }>;
type Answer = Extract<InteractionQuestion, { kind: "sampling_answer" }>;

export const block = (value: unknown) => JSON.stringify(value);
/** The content of a text answer. */
export const words = (text: string) => [block({ type: "text", text })];
const used = (inputTokens: number, outputTokens: number, cost: number | null) => ({ usage: { inputTokens, outputTokens, cost } });

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
/** It stays on this machine, and the model must use a tool. */
export const localReview: Review = {
  ...review,
  system: null,
  messages: [{ role: "user", content: words("Which berth is free tonight?") }],
  stopSequences: [],
  temperature: null,
  contextRefused: "allServers",
  toolChoice: "required",
  route: ollama,
  models: [ollama],
  round: 1,
  tokens: 62,
  budget: { requests: 1, tokens: null, cost: null },
};

export const answer: Answer = {
  kind: "sampling_answer",
  model: "claude-sonnet-5",
  providerName: "Anthropic",
  streaming: false,
  content: words(
    "Buoy 7 is unlit and the east pier is closed until further notice. Dredging at north-2 keeps that berth from use. The other berths are not touched.",
  ),
  stopReason: "endTurn",
  ...used(1_188, 46, 0.0042),
  problem: null,
};
const nothing = { content: [], stopReason: null, usage: null };
const local = { ...answer, ...nothing, model: "qwen4:14b", providerName: "Ollama", streaming: true };
export const streamingAnswer: Answer = { ...local, content: words("Buoy 7 is unlit and the east") };
export const silentAnswer: Answer = local;
const failed = (problem: Sentence): Answer => ({ ...answer, ...nothing, problem });
export const brokenAnswer = failed(
  said("the provider accepts no more requests for {seconds} s: {said}", { seconds: "20", said: "rate_limit_error" }),
);
export const spentAnswer = failed(said("the server’s budget of {limit} tokens a day is used up", { limit: "200000" }));
export const refusedAnswer: Answer = {
  ...answer,
  content: words("I cannot help with that."),
  stopReason: "refusal",
  ...used(412, 7, null),
};

/** The model calls a tool. */
export const toolAnswer: Answer = {
  ...answer,
  stopReason: "toolUse",
  ...used(2_410, 118, 0.0091),
  content: [
    ...words("I look the berth up first."),
    block({ type: "tool_use", id: "t2", name: "berth_state", input: { berth: "north-2", day: "2026-11-23" } }),
  ],
};
const practice = "This is Mooring's practice model: no model has read this. Messages: 1. The last one says: Which berth is free tonight? ";
/** The answer is truncated. */
export const cutAnswer: Answer = {
  ...answer,
  model: "mooring-practice",
  providerName: "",
  stopReason: "maxTokens",
  ...used(12, 1_000, 0),
  content: words(practice.repeat(20)),
};
