// The rarer states of the Inbox, one server each. Scene: inbox_edges.
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";
import { answer, ollama, review } from "./inbox-sampling";
import { question } from "./recorded";

type Question<K extends InteractionQuestion["kind"]> = Extract<InteractionQuestion, { kind: K }>;

const block = (value: unknown) => JSON.stringify(value);
export const noFields = question("noFields", "form");
/** A list that opens, several lines, a secret of digits, and as many of several as one likes. */
const rare = question("rareFields", "form");
export const rareFields: Question<"form"> = {
  ...rare,
  oddities: rare.oddities.map((oddity) =>
    oddity.path === "requestedSchema.if" ? { ...oddity, path: "requestedSchema.allOf", asked: `[{"if":${oddity.asked}}]` } : oddity,
  ),
};
/** Optional values, lists, values of several types, and choices that are no texts. */
export const wideFields = question("wideFields", "form");

const long = "/srv/harbour/a-folder-with-a-very-long-name-that-goes-on/and-on/until-it-no-longer-fits/on-one-line/charts-2026";
const folders = question("folders", "roots");
export const oneFolder: Question<"roots"> = { ...folders, folders: folders.folders.map((folder) => ({ ...folder, path: long })) };

/** It stays here, and the model has to use a tool. */
export const localReview: Question<"sampling"> = {
  ...review,
  system: null,
  messages: [{ role: "user", content: [block({ type: "text", text: "Which berth is free tonight?" })] }],
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

export const silentAnswer: Question<"sampling_answer"> = {
  ...answer,
  model: "qwen4:14b",
  providerName: "Ollama",
  streaming: true,
  content: [],
  stopReason: null,
  usage: null,
};

/** The model wants a tool, and was cut off. */
export const toolAnswer: Question<"sampling_answer"> = {
  ...answer,
  stopReason: "toolUse",
  usage: { inputTokens: 2_410, outputTokens: 118, cost: 0.0091 },
  content: [
    block({ type: "text", text: "I look the berth up first." }),
    block({ type: "tool_use", id: "t2", name: "berth_state", input: { berth: "north-2", day: "2026-11-23" } }),
  ],
};

export const cutAnswer: Question<"sampling_answer"> = {
  ...answer,
  model: "mooring-practice",
  providerName: "",
  stopReason: "maxTokens",
  usage: { inputTokens: 12, outputTokens: 1_000, cost: 0 },
  content: [
    block({
      type: "text",
      text: "This is Mooring's practice model: no model has read this. Messages: 1. The last one says: Which berth is free tonight? ".repeat(
        20,
      ),
    }),
  ],
};
