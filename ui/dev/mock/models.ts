// Model providers, routes, and which servers may use models.
import type { ModelInput } from "@/ipc/bindings/ModelInput";
import type { ModelsView } from "@/ipc/bindings/ModelsView";
import type { ProviderCheck } from "@/ipc/bindings/ProviderCheck";
import type { ProviderView } from "@/ipc/bindings/ProviderView";
import type { RouteRule } from "@/ipc/bindings/RouteRule";
import type { SamplingPolicy } from "@/ipc/bindings/SamplingPolicy";
import type { SamplingPolicyView } from "@/ipc/bindings/SamplingPolicyView";
import type { Args } from "./handlers";
import { Part, refuse, wait } from "./part";
import { said } from "./say";

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

/** One provider of each kind, with possible problems. */
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

const route = (server: number | null, hint: string | null, provider: number | null, model: string): RouteRule => ({
  server,
  hint,
  provider,
  model,
});
const routes = [route(2, null, 1, "claude-sonnet-4-5"), route(null, "haiku", 1, "claude-haiku-4-5"), route(10, null, null, "")];
const everyRoute = [...routes, route(77, "gpt", 3, "gpt-4-turbo"), route(null, null, 4, "gpt-4.1-mini-2025-04-14-eu-data-zone-standard")];

const policy = (
  server: number,
  requestsPerMinute: number | null,
  tokensPerDay: number | null,
  costPerDay: string | null,
  enabled = true,
): SamplingPolicy => ({ server, enabled, requestsPerMinute, tokensPerDay, costPerDay });
const policies = [policy(2, 6, 200_000, "2.00"), policy(10, 10, null, null)];
const everyPolicy = [policy(2, 6, 150_000, "0.50"), policy(3, null, 100_000, "1"), policy(10, 10, null, null)];

/** A remembered approval of requests to a model, or of its answers. */
const answer = (
  server: number,
  id: number,
  look: "request" | "answer",
  providerName: string | null,
  model: string,
  allow: boolean,
  minutes: number | null = null,
) => ({
  server,
  answer: { id, look, providerName, model, allow, until: minutes === null ? null : Date.now() + minutes * 60_000, session: id === 2 },
});
const standing = () => [answer(2, 1, "request", "Anthropic", "claude-haiku-4-5", true, 47), answer(10, 2, "answer", null, "", true)];
const everyStanding = () => [
  ...standing(),
  answer(2, 3, "request", "OpenRouter", "deepseek/deepseek-r1:free", false),
  answer(2, 4, "answer", "Azure OpenAI", "gpt-4.1-mini-2025-04-14-eu-data-zone-standard", false, 6),
];

const crowd = Array.from({ length: 340 }, (_, at) => `vendor-${at % 17}/model-${at}${at % 5 === 0 ? ":free" : ""}`);
const checked = (models: string[], tookMs: number, problem: ProviderCheck["problem"] = null): ProviderCheck => ({
  models,
  problem,
  tookMs,
});
const claudes = ["claude-opus-4-1", "claude-sonnet-4-5", "claude-haiku-4-5", "claude-3-5-haiku-latest"];
const noKey = said("the provider didn’t accept the key: {said}", { said: "invalid x-api-key" });
const noModel = said("the provider has no such model or URL: {said}", { said: "Resource not found" });

export class Models extends Part {
  private readonly none = this.scene === "empty" || this.scene === "no_models";
  private readonly all = this.scene === "models_every";
  providers = this.none ? [] : this.all ? every() : usual();
  routes = this.none ? [] : this.all ? everyRoute : routes;
  private readonly policies = new Map((this.none ? [] : this.all ? everyPolicy : policies).map((one) => [one.server, one]));
  private standing = this.none ? [] : this.all ? everyStanding() : standing();

  view(): ModelsView {
    const spent = this.scene === "inbox_sampling";
    return {
      providers: this.providers,
      routes: this.routes,
      servers: this.host.servers.map(({ id, name }): SamplingPolicyView => ({
        policy: this.policies.get(id) ?? policy(id, null, null, null, false),
        serverName: name,
        tokensToday: id === 2 ? (spent ? 200_000 : 183_400) : 0,
        costToday: id === 2 ? 0.84 : 0,
        requestsToday: id === 2 ? 31 : 0,
        standing: this.standing.filter((item) => item.server === id).map((item) => item.answer),
      })),
    };
  }

  private changed(): ModelsView {
    this.host.tell({ kind: "models" });
    return this.view();
  }

  /** A server that is allowed for the first time starts with a budget. */
  async allow(next: SamplingPolicy): Promise<ModelsView> {
    const begins = !this.policies.has(next.server);
    this.policies.set(next.server, begins ? { ...next, requestsPerMinute: 10, tokensPerDay: 200_000 } : next);
    return this.changed();
  }

  forget(id: number): ModelsView {
    this.standing = this.standing.filter((item) => item.answer.id !== id);
    return this.changed();
  }

  list_models = async () => this.view();
  save_provider = async ({ id, provider: input }: Args<"save_provider">): Promise<ProviderView> => {
    const { name, kind, baseUrl, models } = input;
    if (this.providers.some((item) => item.id !== id && item.name === name))
      refuse("name_taken", said("another server is already called: {name}", { name }));
    const before = this.providers.find((item) => item.id === id);
    const hasKey = input.key !== null || (before?.hasKey === true && !input.forgetKey);
    const saved = provider(before?.id ?? this.providers.length + 1, name, { kind, baseUrl, models, hasKey });
    this.providers = before ? this.providers.map((item) => (item.id === id ? saved : item)) : [...this.providers, saved];
    this.changed();
    return saved;
  };
  remove_provider = async ({ id }: Args<"remove_provider">) => {
    this.providers = this.providers.filter((item) => item.id !== id);
    this.routes = this.routes.filter((item) => item.provider !== id);
    this.changed();
    return null;
  };
  check_provider = async ({ provider: { baseUrl, key } }: Args<"check_provider">) => {
    await wait(this.host.pace);
    if (baseUrl.includes("11434")) return checked([], 3, said("the connection was refused"));
    if (key?.includes("wrong") === true) return checked([], 231, noKey);
    if (baseUrl.includes("azure")) return checked([], 187, noModel);
    return this.scene === "models_crowded" ? checked(crowd, 1_284) : checked(claudes, 412);
  };
  set_routes = async ({ routes: next }: Args<"set_routes">) => {
    this.routes = next;
    return this.changed();
  };
  set_sampling = async ({ policy: next }: Args<"set_sampling">) => this.allow(next);
}
