// A provider while it is being edited.
import type { ModelInput } from "@/ipc/bindings/ModelInput";
import type { ProviderInput } from "@/ipc/bindings/ProviderInput";
import type { ProviderKind } from "@/ipc/bindings/ProviderKind";
import type { ProviderView } from "@/ipc/bindings/ProviderView";
import { presets } from "./presets";

export interface ProviderDraft {
  readonly name: string;
  readonly kind: ProviderKind;
  readonly baseUrl: string;
  /** The typed key, and never the saved one. */
  readonly key: string;
  readonly forgetKey: boolean;
  readonly models: readonly ModelInput[];
}

export const newModel = (id: string): ModelInput => ({
  id,
  inputPrice: null,
  outputPrice: null,
  images: false,
  audio: false,
  tools: false,
  cheap: 50,
  fast: 50,
  capable: 50,
});

export function draftOf(provider: ProviderView | null): ProviderDraft {
  const first = presets["anthropic"];
  return provider
    ? { name: provider.name, kind: provider.kind, baseUrl: provider.baseUrl, key: "", forgetKey: false, models: provider.models }
    : { name: first?.name ?? "", kind: first?.kind ?? "anthropic", baseUrl: first?.baseUrl ?? "", key: "", forgetKey: false, models: [] };
}

/** The draft with an unused name, such as `Anthropic 2`. */
export function withFreeName(draft: ProviderDraft, taken: readonly string[]): ProviderDraft {
  let name = draft.name;
  for (let count = 2; name !== "" && taken.includes(name); count += 1) name = `${draft.name} ${count}`;
  return { ...draft, name };
}

export function inputOf(draft: ProviderDraft): ProviderInput {
  return {
    name: draft.name.trim(),
    kind: draft.kind,
    baseUrl: draft.baseUrl.trim(),
    key: draft.key === "" ? null : draft.key,
    forgetKey: draft.forgetKey && draft.key === "",
    models: [...draft.models],
  };
}

/** Whether the saved key still applies: it belongs to the origin that it was entered for. */
export function keyStays(provider: ProviderView | null, draft: ProviderDraft): boolean {
  if (
    provider === null ||
    !provider.hasKey ||
    provider.kind !== draft.kind ||
    !URL.canParse(draft.baseUrl.trim()) ||
    !URL.canParse(provider.baseUrl)
  )
    return false;
  return new URL(draft.baseUrl.trim()).origin === new URL(provider.baseUrl).origin;
}

export type DraftField = "name" | "baseUrl" | "models";

const decimal = /^\d{1,6}(?:\.\d{1,6})?$/;

/** Whether a price is valid. Null means unknown. */
export const goodPrice = (price: string | null): boolean => price === null || decimal.test(price);

/** Whether a provider's URL is valid. */
function goodAddress(text: string): boolean {
  if (!URL.canParse(text.trim())) return false;
  const { protocol, username, password, search, hash } = new URL(text.trim());
  return (protocol === "https:" || protocol === "http:") && username === "" && password === "" && search === "" && hash === "";
}

/** The problems by field. */
export function problemsOf(draft: ProviderDraft): Partial<Record<DraftField, "missing" | "address" | "placeholder" | "price">> {
  return {
    ...(draft.name.trim() === "" ? { name: "missing" as const } : {}),
    ...(draft.baseUrl.includes("YOUR-RESOURCE")
      ? { baseUrl: "placeholder" as const }
      : goodAddress(draft.baseUrl)
        ? {}
        : { baseUrl: "address" as const }),
    ...(draft.models.every((model) => goodPrice(model.inputPrice) && goodPrice(model.outputPrice)) ? {} : { models: "price" as const }),
  };
}
