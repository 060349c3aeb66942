// Providers of models, what is routed where, and which servers may ask.
import type { ModelInput } from "@/ipc/bindings/ModelInput";
import type { ModelsView } from "@/ipc/bindings/ModelsView";
import type { ProviderCheck } from "@/ipc/bindings/ProviderCheck";
import type { ProviderInput } from "@/ipc/bindings/ProviderInput";
import type { ProviderView } from "@/ipc/bindings/ProviderView";
import type { RouteRule } from "@/ipc/bindings/RouteRule";
import type { SamplingPolicy } from "@/ipc/bindings/SamplingPolicy";
import type { SamplingPolicyView } from "@/ipc/bindings/SamplingPolicyView";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { said } from "./say";
import type { Scene } from "./scenes";

const wait = (ms: number) =>
  new Promise<void>((done) => {
    setTimeout(done, ms);
  });
const model = (id: string, part: Partial<ModelInput> = {}): ModelInput => ({
  id,
  inputPrice: null,
  outputPrice: null,
  images: false,
  audio: false,
  tools: true,
  cheap: 50,
  fast: 50,
  capable: 50,
  ...part,
});
const provider = (id: number, name: string, part: Partial<ProviderView>): ProviderView => ({
  id,
  name,
  kind: "openai",
  baseUrl: "",
  hasKey: true,
  models: [],
  usedAt: null,
  problem: null,
  ...part,
});

const usual = (): ProviderView[] => [
  provider(1, "Anthropic", {
    kind: "anthropic",
    baseUrl: "https://api.anthropic.com",
    usedAt: Date.now() - 3 * 60_000,
    models: [
      model("claude-sonnet-4-5", { inputPrice: "3", outputPrice: "15", images: true, cheap: 40, fast: 60, capable: 85 }),
      model("claude-haiku-4-5", { inputPrice: "1", outputPrice: "5", images: true, cheap: 75, fast: 90, capable: 60 }),
    ],
  }),
  provider(2, "This computer", {
    kind: "ollama",
    baseUrl: "http://127.0.0.1:11434",
    hasKey: false,
    models: [model("qwen3:8b", { cheap: 100, fast: 30, capable: 35 })],
    problem: said("the connection was refused"),
  }),
];

/** One of each kind, with what can be wrong with them. */
const every = (): ProviderView[] => [
  ...usual(),
  provider(3, "OpenAI", {
    baseUrl: "https://api.openai.com/v1",
    models: [model("gpt-5.2", { inputPrice: "1.75", outputPrice: "14" })],
    problem: said("the provider didn’t accept the key: {said}", {
      said: "Incorrect API key provided: sk-proj-****. You can find your API key at https://platform.openai.com/account/api-keys.",
    }),
  }),
  provider(4, "Azure OpenAI", {
    baseUrl: "https://harbour-authority-rotterdam-production.openai.azure.com/openai/v1",
    usedAt: Date.now() - 26 * 3_600_000,
    models: [model("gpt-4.1-mini-2025-04-14-eu-data-zone-standard"), model("o4-mini"), model("gpt-4o-audio-preview", { audio: true })],
  }),
  provider(5, "OpenRouter", {
    baseUrl: "https://openrouter.ai/api/v1",
    problem: said("the provider accepts no more requests for now: {said}", { said: "Rate limit exceeded: free-models-per-day" }),
    models: [model("deepseek/deepseek-r1:free")],
  }),
  provider(6, "LM Studio", { baseUrl: "http://127.0.0.1:1234/v1", hasKey: false }),
  provider(7, "Gemini", {
    kind: "gemini",
    baseUrl: "https://generativelanguage.googleapis.com",
    models: [model("gemini-2.5-flash", { images: true, audio: true })],
  }),
];

export class Models {
  providers: ProviderView[];
  routes: RouteRule[];
  private readonly policies = new Map<number, SamplingPolicy>();
  private readonly standing: { server: number; answer: SamplingPolicyView["standing"][number] }[];
  private readonly crowded: boolean;
  private readonly spent: boolean;
  private readonly pace: number;
  private readonly servers: () => readonly ServerView[];
  private readonly tell: () => void;

  constructor(scene: Scene, pace: number, servers: () => readonly ServerView[], tell: () => void) {
    const none = scene === "empty" || scene === "no_models";
    const all = scene === "models_every";
    this.providers = none ? [] : all ? every() : usual();
    this.routes = none
      ? []
      : [
          { server: 2, hint: null, provider: 1, model: "claude-sonnet-4-5" },
          { server: null, hint: "haiku", provider: 1, model: "claude-haiku-4-5" },
          { server: 10, hint: null, provider: null, model: "" },
          ...(all
            ? [
                { server: 77, hint: "gpt", provider: 3, model: "gpt-4-turbo" },
                { server: null, hint: null, provider: 4, model: "gpt-4.1-mini-2025-04-14-eu-data-zone-standard" },
              ]
            : []),
        ];
    if (!none) {
      this.policies.set(2, {
        server: 2,
        enabled: true,
        requestsPerMinute: 6,
        tokensPerDay: all ? 150_000 : 200_000,
        costPerDay: all ? "0.50" : "2.00",
      });
      if (all) this.policies.set(3, { server: 3, enabled: true, requestsPerMinute: null, tokensPerDay: 100_000, costPerDay: "1" });
      this.policies.set(10, { server: 10, enabled: true, requestsPerMinute: 10, tokensPerDay: null, costPerDay: null });
    }
    this.standing = none
      ? []
      : [
          {
            server: 2,
            answer: {
              id: 1,
              look: "request",
              providerName: "Anthropic",
              model: "claude-haiku-4-5",
              allow: true,
              until: Date.now() + 47 * 60_000,
              session: false,
            },
          },
          { server: 10, answer: { id: 2, look: "answer", providerName: null, model: "", allow: true, until: null, session: true } },
          ...(all
            ? [
                {
                  server: 2,
                  answer: {
                    id: 3,
                    look: "request" as const,
                    providerName: "OpenRouter",
                    model: "deepseek/deepseek-r1:free",
                    allow: false,
                    until: null,
                    session: false,
                  },
                },
                {
                  server: 2,
                  answer: {
                    id: 4,
                    look: "answer" as const,
                    providerName: "Azure OpenAI",
                    model: "gpt-4.1-mini-2025-04-14-eu-data-zone-standard",
                    allow: false,
                    until: Date.now() + 6 * 60_000,
                    session: false,
                  },
                },
              ]
            : []),
        ];
    this.spent = scene === "inbox_sampling";
    this.crowded = scene === "models_crowded";
    this.pace = pace;
    this.servers = servers;
    this.tell = tell;
  }

  view(): ModelsView {
    return {
      providers: this.providers,
      routes: this.routes,
      servers: this.servers().map(({ id, name }) => ({
        policy: this.policies.get(id) ?? { server: id, enabled: false, requestsPerMinute: null, tokensPerDay: null, costPerDay: null },
        serverName: name,
        tokensToday: id === 2 ? (this.spent ? 200_000 : 183_400) : 0,
        costToday: id === 2 ? 0.84 : 0,
        requestsToday: id === 2 ? 31 : 0,
        standing: this.standing.filter((item) => item.server === id).map((item) => item.answer),
      })),
    };
  }

  private changed(): ModelsView {
    this.tell();
    return this.view();
  }

  async save(id: number | null, input: ProviderInput): Promise<ProviderView> {
    if (this.providers.some((item) => item.id !== id && item.name === input.name))
      return Promise.reject({
        code: "name_taken",
        message: said("another server is already called: {name}", { name: input.name }),
        details: null,
      });
    const before = this.providers.find((item) => item.id === id);
    const { name, kind, baseUrl, models } = input;
    const hasKey = input.key !== null || (before?.hasKey === true && !input.forgetKey);
    const saved = {
      ...provider(before?.id ?? Math.max(0, ...this.providers.map((item) => item.id)) + 1, name, {}),
      kind,
      baseUrl,
      models,
      hasKey,
    };
    this.providers = before ? this.providers.map((item) => (item.id === id ? saved : item)) : [...this.providers, saved];
    this.tell();
    return saved;
  }

  async remove(id: number): Promise<null> {
    this.providers = this.providers.filter((item) => item.id !== id);
    this.routes = this.routes.filter((item) => item.provider !== id);
    this.tell();
    return null;
  }

  async check(input: ProviderInput): Promise<ProviderCheck> {
    await wait(this.pace);
    if (input.baseUrl.includes("11434")) return { models: [], problem: said("the connection was refused"), tookMs: 3 };
    if (input.key?.includes("wrong") === true)
      return { models: [], problem: said("the provider didn’t accept the key: {said}", { said: "invalid x-api-key" }), tookMs: 231 };
    if (input.baseUrl.includes("azure"))
      return { models: [], problem: said("the provider has no such model or URL: {said}", { said: "Resource not found" }), tookMs: 187 };
    if (this.crowded)
      return {
        models: Array.from({ length: 340 }, (_, at) => `vendor-${at % 17}/model-${at}${at % 5 === 0 ? ":free" : ""}`),
        problem: null,
        tookMs: 1_284,
      };
    return { models: ["claude-opus-4-1", "claude-sonnet-4-5", "claude-haiku-4-5", "claude-3-5-haiku-latest"], problem: null, tookMs: 412 };
  }

  async route(routes: RouteRule[]): Promise<ModelsView> {
    this.routes = routes;
    return this.changed();
  }

  async allow(policy: SamplingPolicy): Promise<ModelsView> {
    const unbounded = policy.requestsPerMinute === null && policy.tokensPerDay === null && policy.costPerDay === null;
    const begins = policy.enabled && this.policies.get(policy.server)?.enabled !== true && unbounded;
    this.policies.set(policy.server, begins ? { ...policy, requestsPerMinute: 10, tokensPerDay: 200_000 } : policy);
    return this.changed();
  }

  async forget(id: number): Promise<ModelsView> {
    const at = this.standing.findIndex((item) => item.answer.id === id);
    if (at >= 0) this.standing.splice(at, 1);
    return this.changed();
  }
}
