// The rarer states of the Inbox, one server each. Scene: inbox_edges.
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";
import { field } from "./inbox-forms";
import { answer, ollama, review } from "./inbox-sampling";
import { said } from "./say";

type Question<K extends InteractionQuestion["kind"]> = Extract<InteractionQuestion, { kind: K }>;

const block = (value: unknown) => JSON.stringify(value);
const harbours = ["Aalborg", "Bergen", "Cuxhaven", "Dover", "Esbjerg", "Flensburg", "Gdynia", "Hirtshals", "Ijmuiden", "Kiel"];
const plain = { kind: "text", minLength: null, maxLength: null, pattern: null, format: null } as const;

export const noFields: Question<"form"> = {
  kind: "form",
  message: "Shall the watch list be sent to everybody on it?",
  fields: [],
  oddities: [],
};

/** A list that opens, several lines, a secret of digits, and as many of several as one likes. */
export const rareFields: Question<"form"> = {
  kind: "form",
  message: "",
  fields: [
    field(
      "harbour",
      { kind: "one", choices: harbours.map((value) => ({ value, title: null })) },
      { title: "Home harbour", required: true },
    ),
    field(
      "remarks",
      { ...plain, maxLength: 2_000 },
      {
        title: "Remarks",
        description: "What the pilot has to know of the ship, its cargo and its crew before it comes in.",
        default: '"Two masts.\\nOne anchor."',
      },
    ),
    field(
      "pin",
      { kind: "number", integer: true, minimum: null, maximum: null },
      { title: "PIN of the gate", looksSecret: true, required: true },
    ),
    field(
      "flags",
      {
        kind: "some",
        choices: ["Alfa", "Bravo", "Charlie", "Delta"].map((value) => ({ value, title: null })),
        minItems: null,
        maxItems: null,
      },
      { title: "Flags that are set", default: '["Alfa","Delta"]' },
    ),
  ],
  oddities: [
    {
      path: "requestedSchema.properties.remarks.pattern",
      asked: '"^(?!.*confidential)"',
      what: said("cannot be checked here; the server checks it"),
    },
    {
      path: "requestedSchema.allOf",
      asked: '[{"if":{"properties":{"harbour":{"const":"Kiel"}}},"then":{"required":["pin"]}}]',
      what: said("is not known in forms and was left out"),
    },
  ],
};

const sizes = [
  { value: "s", title: "Small, up to 8 metres" },
  { value: "m", title: "Middle, up to 15 metres" },
  { value: "l", title: "Large" },
];

/** Optional values, lists, values of several types, and choices that are no texts. */
export const wideFields: Question<"form"> = {
  kind: "form",
  message: "Tell the harbour office about your ship, so that it can give you a berth.",
  fields: [
    field("ship", plain, { title: "Ship", required: true }),
    field(
      "call_sign",
      { ...plain, maxLength: 8 },
      { title: "Call sign", description: "Only where she has one.", required: true, nullable: true },
    ),
    field("size", { kind: "one", choices: sizes }, { title: "Size", required: true }),
    field(
      "quay",
      {
        kind: "one",
        choices: [
          { value: "1", title: "North quay", json: "1" },
          { value: "2", title: "East quay", json: "2" },
          { value: "null", title: null, json: "null" },
        ],
      },
      { title: "Quay", description: "Numbers are sent, names are shown." },
    ),
    field(
      "services",
      {
        kind: "some",
        choices: [
          { value: "water", title: "Fresh water" },
          { value: "power", title: "Shore power" },
          { value: "pilot", title: null },
        ],
        minItems: null,
        maxItems: 2,
      },
      { title: "Services", default: '["water"]' },
    ),
    field(
      "crew",
      { kind: "list", of: plain, minItems: 1, maxItems: 20 },
      { title: "Crew", description: "The skipper first.", required: true, default: '["Ana","Tomás"]' },
    ),
    field(
      "depths",
      { kind: "list", of: { kind: "number", integer: false, minimum: 0, maximum: null }, minItems: null, maxItems: null },
      { title: "Depths she needs" },
    ),
    field(
      "length",
      { kind: "either", kinds: [{ kind: "number", integer: false, minimum: null, maximum: null }, plain] },
      { title: "Length", description: "In metres, or in words." },
    ),
    field(
      "insured",
      { kind: "either", kinds: [{ kind: "boolean" }, plain, { kind: "list", of: plain, minItems: null, maxItems: null }] },
      { title: "Insurance", required: true, nullable: true },
    ),
    field("extra", { kind: "any" }, { title: "Anything else", description: "What the office keeps with the booking." }),
  ],
  oddities: [],
};

export const oneFolder: Question<"roots"> = {
  kind: "roots",
  folders: [
    {
      path: "/srv/harbour/a-folder-with-a-very-long-name-that-goes-on/and-on/until-it-no-longer-fits/on-one-line/charts-2026",
      name: "charts",
      problem: null,
    },
  ],
};

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
