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

const wait = (ms: number) => new Promise<void>((done) => { setTimeout(done, ms); });
const model = (id: string, part: Partial<ModelInput> = {}): ModelInput => ({ id, inputPrice: null, outputPrice: null, images: false, audio: false, tools: true, cheap: 50, fast: 50, capable: 50, ...part });
const provider = (id: number, name: string, part: Partial<ProviderView>): ProviderView => ({ id, name, kind: "openai", baseUrl: "", hasKey: true, models: [], usedAt: null, problem: null, ...part });

const usual = (): ProviderView[] => [
  provider(1, "Anthropic", { kind: "anthropic", baseUrl: "https://api.anthropic.com", usedAt: Date.now() - 3 * 60_000, models: [
    model("claude-sonnet-4-5", { inputPrice: "3", outputPrice: "15", images: true, cheap: 40, fast: 60, capable: 85 }),
    model("claude-haiku-4-5", { inputPrice: "1", outputPrice: "5", images: true, cheap: 75, fast: 90, capable: 60 }),
  ] }),
  provider(2, "This computer", { kind: "ollama", baseUrl: "http://127.0.0.1:11434", hasKey: false, models: [model("qwen3:8b", { cheap: 100, fast: 30, capable: 35 })], problem: said("the connection was refused") }),
];

export class Models {
  providers: ProviderView[];
  routes: RouteRule[];
  private readonly policies = new Map<number, SamplingPolicy>();
  private readonly standing: { server: number; answer: SamplingPolicyView["standing"][number] }[];
  private readonly pace: number;
  private readonly servers: () => readonly ServerView[];
  private readonly tell: () => void;

  constructor(scene: string, pace: number, servers: () => readonly ServerView[], tell: () => void) {
    const none = scene === "empty" || scene === "no_models";
    this.providers = none ? [] : usual();
    this.routes = none ? [] : [
      { server: 2, hint: null, provider: 1, model: "claude-sonnet-4-5" },
      { server: null, hint: "haiku", provider: 1, model: "claude-haiku-4-5" },
      { server: 10, hint: null, provider: null, model: "" },
    ];
    if (!none) {
      this.policies.set(2, { server: 2, enabled: true, requestsPerMinute: 6, tokensPerDay: 200_000, costPerDay: "2.00" });
      this.policies.set(10, { server: 10, enabled: true, requestsPerMinute: 10, tokensPerDay: null, costPerDay: null });
    }
    this.standing = none ? [] : [
      { server: 2, answer: { id: 1, look: "request", providerName: "Anthropic", model: "claude-haiku-4-5", allow: true, until: Date.now() + 47 * 60_000, session: false } },
      { server: 10, answer: { id: 2, look: "answer", providerName: null, model: "", allow: true, until: null, session: true } },
    ];
    this.pace = pace;
    this.servers = servers;
    this.tell = tell;
  }

  view(): ModelsView {
    return {
      providers: this.providers, routes: this.routes,
      servers: this.servers().map(({ id, name }) => ({
        policy: this.policies.get(id) ?? { server: id, enabled: false, requestsPerMinute: 6, tokensPerDay: 100_000, costPerDay: null },
        serverName: name, tokensToday: id === 2 ? 183_400 : 0, costToday: id === 2 ? 0.84 : 0, requestsToday: id === 2 ? 31 : 0,
        standing: this.standing.filter((item) => item.server === id).map((item) => item.answer),
      })),
    };
  }

  private changed(): ModelsView {
    this.tell();
    return this.view();
  }

  async save(id: number | null, input: ProviderInput): Promise<ProviderView> {
    if (this.providers.some((item) => item.id !== id && item.name === input.name)) return Promise.reject({ code: "invalid_input", message: said("another provider has this name: {name}", { name: input.name }), details: { field: "name" } });
    const before = this.providers.find((item) => item.id === id);
    const { name, kind, baseUrl, models } = input;
    const hasKey = input.key !== null || (before?.hasKey === true && !input.forgetKey);
    const saved = { ...provider(before?.id ?? Math.max(0, ...this.providers.map((item) => item.id)) + 1, name, {}), kind, baseUrl, models, hasKey };
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
    return { models: ["claude-opus-4-1", "claude-sonnet-4-5", "claude-haiku-4-5", "claude-3-5-haiku-latest"], problem: null, tookMs: 412 };
  }

  async route(routes: RouteRule[]): Promise<ModelsView> {
    this.routes = routes;
    return this.changed();
  }

  async allow(policy: SamplingPolicy): Promise<ModelsView> {
    this.policies.set(policy.server, policy);
    return this.changed();
  }

  async forget(id: number): Promise<ModelsView> {
    const at = this.standing.findIndex((item) => item.answer.id === id);
    if (at >= 0) this.standing.splice(at, 1);
    return this.changed();
  }
}
