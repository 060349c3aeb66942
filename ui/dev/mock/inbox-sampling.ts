// What servers ask models, and what models answer.
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";
import type { SamplingRoute } from "@/ipc/bindings/SamplingRoute";
import { said } from "./say";

type Review = Extract<InteractionQuestion, { kind: "sampling" }>;
type Answer = Extract<InteractionQuestion, { kind: "sampling_answer" }>;

const block = (value: unknown) => JSON.stringify(value);
/** A harbour light over the sea, 96 by 48 pixels. */
const picture =
  "iVBORw0KGgoAAAANSUhEUgAAAGAAAAAwAgMAAACTeJdcAAAACVBMVEXwyFoNbnIUPFqDu7h9AAAASklEQVR42mMMZcAOmBiGhMT/1RuwS7xh+I1d4gADwwGS7PjPwMDwYegECSMDA4MAaUY5MDA4YJUQYWCFmDnEUwlBCZbh7sHhIgEAoU8Juh8tm3EAAAAASUVORK5CYII=";
/** A short silence. */
const sound = `UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=`;

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
  reason: said("it fits best what the server finds important"),
  cost: 0,
};
const practice: SamplingRoute = { provider: null, providerName: "", host: null, model: "", reason: said("no model is set up"), cost: 0 };

export const review: Review = {
  kind: "sampling",
  system: "You summarise harbour documents for a night watch. Answer in three sentences. Never mention prices.",
  messages: [
    {
      role: "user",
      content: [
        block({ type: "text", text: "Summarise the three newest notices to mariners and say which berths they touch." }),
        block({ type: "image", mimeType: "image/png", data: picture }),
      ],
    },
    { role: "assistant", content: [block({ type: "tool_use", id: "t1", name: "list_notices", input: { since: "2026-11-01", limit: 3 } })] },
    {
      role: "user",
      content: [
        block({
          type: "tool_result",
          toolUseId: "t1",
          content: [{ type: "text", text: "NtM 118: buoy 7 unlit. NtM 119: east pier closed. NtM 120: dredging at north-2." }],
        }),
      ],
    },
    { role: "user", content: [block({ type: "audio", mimeType: "audio/wav", data: sound }), block({ type: "hologram", shape: "buoy" })] },
  ],
  maxTokens: 1_000,
  temperature: 0.2,
  stopSequences: ["\n\nEND"],
  tools: [
    block({
      name: "list_notices",
      description: "The newest notices to mariners.",
      inputSchema: { type: "object", properties: { since: { type: "string", format: "date" } } },
    }),
    block({ name: "berth_state", description: "Whether a berth is free." }),
  ],
  toolChoice: "auto",
  contextRefused: "thisServer",
  route: claude,
  models: [claude, ollama, practice],
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
  problem: said("the provider takes no more requests for {seconds} s: {said}", { seconds: "20", said: "rate_limit_error" }),
};
export const spentAnswer: Answer = {
  ...brokenAnswer,
  problem: said("the server's budget of {limit} tokens a day is used up", { limit: "200000" }),
};
export const refusedAnswer: Answer = {
  ...answer,
  content: [block({ type: "text", text: "I cannot help with that." })],
  stopReason: "refusal",
  usage: { inputTokens: 412, outputTokens: 7, cost: null },
};
