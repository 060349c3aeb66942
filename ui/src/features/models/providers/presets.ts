// The URLs of common providers, so that only a key must be entered.
import type { ProviderKind } from "@/ipc/bindings/ProviderKind";

export interface Preset {
  readonly name: string;
  readonly kind: ProviderKind;
  readonly baseUrl: string;
  /** Whether it runs on this computer and usually needs no key. */
  readonly local: boolean;
  /** Whether its URL is the same for everyone, so that only a key must be entered. */
  readonly hosted?: boolean;
}

export const presets: Readonly<Record<string, Preset>> = {
  anthropic: { name: "Anthropic", kind: "anthropic", baseUrl: "https://api.anthropic.com", local: false, hosted: true },
  openai: { name: "OpenAI", kind: "openai", baseUrl: "https://api.openai.com/v1", local: false, hosted: true },
  azure: { name: "Azure OpenAI", kind: "openai", baseUrl: "https://YOUR-RESOURCE.openai.azure.com/openai/v1", local: false },
  openrouter: { name: "OpenRouter", kind: "openai", baseUrl: "https://openrouter.ai/api/v1", local: false },
  gemini: { name: "Gemini", kind: "gemini", baseUrl: "https://generativelanguage.googleapis.com", local: false, hosted: true },
  ollama: { name: "Ollama", kind: "ollama", baseUrl: "http://127.0.0.1:11434", local: true },
  lm_studio: { name: "LM Studio", kind: "openai", baseUrl: "http://127.0.0.1:1234/v1", local: true },
  llama_cpp: { name: "llama.cpp", kind: "openai", baseUrl: "http://127.0.0.1:8080/v1", local: true },
  vllm: { name: "vLLM", kind: "openai", baseUrl: "http://127.0.0.1:8000/v1", local: true },
};

/** The preset of a URL, or null. */
export function presetOf(kind: ProviderKind, baseUrl: string): string | null {
  return Object.entries(presets).find(([, preset]) => preset.kind === kind && preset.baseUrl === baseUrl)?.[0] ?? null;
}
