// Prompts and what getting them gives.
import type { CallOutcome } from "@/ipc/bindings/CallOutcome";
import type { PromptList } from "@/ipc/bindings/PromptList";
import type { PromptView } from "@/ipc/bindings/PromptView";
import { picture } from "./workbench";
import { say } from "./say";

interface Spec {
  name: string;
  title?: string;
  description?: string;
  arguments?: { name: string; title?: string; description?: string; required?: boolean }[];
}

function prompt(spec: Spec, diagnostics: PromptView["diagnostics"] = []): PromptView {
  const args = (spec.arguments ?? []).map(({ name, title = null, description = null, required = false }) => ({
    name,
    title,
    description,
    required,
  }));
  return {
    name: spec.name,
    title: spec.title ?? null,
    description: spec.description ?? null,
    arguments: args,
    raw: JSON.stringify(spec),
    diagnostics,
  };
}

const demo: PromptView[] = [
  prompt({
    name: "explain_guide",
    title: "Explain the guide",
    description: "Ask for the harbour guide in plain words; it carries the guide as a link.",
  }),
  prompt({
    name: "passage_plan",
    title: "Plan a passage",
    description: "Ask for a passage plan between two harbours this server knows.",
    arguments: [
      { name: "from", description: "The harbour you leave from.", required: true },
      { name: "to", description: "The harbour you sail to, for example 青岛.", required: true },
      { name: "tone", title: "How it sounds", description: "Brief unless said otherwise." },
    ],
  }),
  prompt({
    name: "review_log",
    title: "Review a log book",
    description: "Looks over the entries of a day.",
    arguments: [
      { name: "text", description: "The entries.", required: true },
      { name: "api_key", description: "Key of the weather archive." },
    ],
  }),
  prompt(
    {
      name: "everything",
      title: "Every kind of content",
      description: "Messages with a picture, an embedded resource, and a role no revision knows.",
    },
    [{ code: "wrong_type", path: "prompts[3].arguments", message: say("is not a list") }],
  ),
];

/** The prompts of a server, by its name. */
export function promptsOf(name: string): PromptList {
  if (name.startsWith("demo")) return { prompts: demo, diagnostics: [] };
  if (name === "postgres-prod")
    return {
      prompts: [
        prompt({
          name: "tune-a-query",
          title: "Tune a query",
          description: "Ask why a query is slow and what would help.",
          arguments: [{ name: "sql", description: "The query.", required: true }, { name: "schema" }],
        }),
      ],
      diagnostics: [],
    };
  return { prompts: [], diagnostics: [] };
}

const said = (role: string, text: string) => ({ role, content: { type: "text", text } });

/** Gets a prompt. */
export function getPrompt(name: string, argumentsText: string): CallOutcome {
  const args = JSON.parse(argumentsText) as Record<string, string>;
  const { tone = "brief", from = "?", to = "?" } = args;
  const done = (messages: readonly object[], description?: string): CallOutcome => {
    const text = JSON.stringify({ ...(description === undefined ? {} : { description }), messages });
    return { status: "ok", result: text, error: null, diagnostics: [], elapsedMs: 3.8, bytes: new TextEncoder().encode(text).length };
  };
  const guide = { uri: "demo://harbour/guide", name: "guide", title: "Harbour guide", mimeType: "text/markdown", size: 2_148 };
  switch (name) {
    case "explain_guide":
      return done([
        said("user", "Explain the harbour guide to somebody who has never been on a boat."),
        { role: "user", content: { type: "resource_link", ...guide } },
      ]);
    case "passage_plan":
      return done(
        [
          said(
            "user",
            [
              `Write a ${tone} passage plan from ${from} to ${to}. The deepest draught there is 12.5 m.`,
              "",
              "Mind the tide gate, and name two harbours of refuge on the way.",
            ].join("\n"),
          ),
          said("assistant", "First I will check tides, fuel and the free berths at the other end."),
          said("user", "Go ahead."),
        ],
        `Passage from ${from} to ${to}`,
      );
    case "review_log":
      return done([said("user", `Review these entries:\n\n${args["text"] ?? ""}`)]);
    case "tune-a-query":
      return done([
        said("user", `Why is this slow?\n\n${args["sql"] ?? ""}`),
        {
          role: "user",
          content: {
            type: "resource",
            resource: { uri: "table://harbour/berth", mimeType: "application/json", text: '{"columns":["id","city"],"rows":41200}' },
          },
        },
      ]);
    case "everything":
      return done([
        said("user", "What is on this picture?"),
        { role: "user", content: { type: "image", mimeType: "image/png", data: picture() } },
        {
          role: "user",
          content: {
            type: "resource",
            resource: { uri: "demo://harbour/gate.yaml", mimeType: "application/yaml", text: "gate:\n  name: North\n  manned: true\n" },
          },
        },
        said("narrator", "Nobody knows this role. \u202Egnihton\u202C."),
        { role: "assistant", content: { type: "hologram", depth: 3 } },
      ]);
    default:
      return {
        status: "rpc_error",
        result: null,
        error: { code: "rpc", message: `no such prompt: ${name}`, said: null, rpcCode: -32_602, data: null, next: null, evidence: null },
        diagnostics: [],
        elapsedMs: 2,
        bytes: 0,
      };
  }
}
