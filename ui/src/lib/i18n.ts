// The window's languages. All texts are in locales/. English is the reference and the fallback.
import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import type { Language } from "@/ipc/bindings/Language";
import { byFile } from "@/locales/by-file";
import { recall, remember } from "./remembered";
import { addSentences } from "./sentence";

/** The texts for `t`, by file: `sign-in.json` has those of `sign-in:`. */
export type Texts = {
  accounts: typeof import("@/locales/en/accounts.json");
  activity: typeof import("@/locales/en/activity.json");
  apps: typeof import("@/locales/en/apps.json");
  bundles: typeof import("@/locales/en/bundles.json");
  catalog: typeof import("@/locales/en/catalog.json");
  common: typeof import("@/locales/en/common.json");
  doctor: typeof import("@/locales/en/doctor.json");
  form: typeof import("@/locales/en/form.json");
  inbox: typeof import("@/locales/en/inbox.json");
  models: typeof import("@/locales/en/models.json");
  palette: typeof import("@/locales/en/palette.json");
  profiles: typeof import("@/locales/en/profiles.json");
  policies: typeof import("@/locales/en/policies.json");
  roots: typeof import("@/locales/en/roots.json");
  safety: typeof import("@/locales/en/safety.json");
  servers: typeof import("@/locales/en/servers.json");
  settings: typeof import("@/locales/en/settings.json");
  "sign-in": typeof import("@/locales/en/sign-in.json");
  trust: typeof import("@/locales/en/trust.json");
  vault: typeof import("@/locales/en/vault.json");
  workbench: typeof import("@/locales/en/workbench.json");
};

export const english = byFile(import.meta.glob<object>("@/locales/en/*.json", { eager: true, import: "default" })) as Texts;

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "common";
    resources: Texts;
  }
}

type Spoken = Exclude<Language, "system">;

/** The system's language, among the supported ones. */
export function systemLanguage(wanted: readonly string[] = navigator.languages): Spoken {
  for (const tag of wanted) {
    if (/^zh\b/i.test(tag)) return "zh-CN";
    if (/^en\b/i.test(tag)) return "en";
  }
  return "en";
}

const spoken = (choice: Language): Spoken => (choice === "system" ? systemLanguage() : choice);

let current: Spoken = "en";

/** Loads the texts of a language, unless they are loaded. English always is. */
async function load(language: Spoken): Promise<void> {
  if (language === "en" || i18next.hasResourceBundle(language, "common")) return;
  const { namespaces, sentences } = await import("@/locales/chinese");
  addSentences(language, sentences);
  for (const [name, texts] of Object.entries(namespaces)) i18next.addResourceBundle(language, name, texts);
}

async function change(language: Spoken): Promise<void> {
  current = language;
  await load(language);
  if (current !== language) return; // another one was chosen meanwhile
  document.documentElement.lang = language;
  if (i18next.language !== language) await i18next.changeLanguage(language);
}

/** Changes the language and saves it for the first frame of the next start. */
export function applyLanguage(choice: Language): Promise<void> {
  remember("language", choice);
  return change(spoken(choice));
}

/** Applies the language of the last run, or the system's, before the settings are known. Resolves when loaded. */
export function startLanguage(): Promise<void> {
  void i18next
    .use(initReactI18next)
    .init({
      resources: { en: english },
      lng: "en",
      fallbackLng: "en",
      defaultNS: "common",
      interpolation: { escapeValue: false },
      initAsync: false,
      returnNull: false,
    });
  const last = recall("language");
  return change(spoken(last === "en" || last === "zh-CN" ? last : "system"));
}
