// Languages of the window. Every string comes from locales/; English is the reference and the fallback.
import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import type { Language } from "@/ipc/bindings/Language";
import enAccounts from "@/locales/en/accounts.json";
import enActivity from "@/locales/en/activity.json";
import enApps from "@/locales/en/apps.json";
import enCommon from "@/locales/en/common.json";
import enForm from "@/locales/en/form.json";
import enInbox from "@/locales/en/inbox.json";
import enPalette from "@/locales/en/palette.json";
import enServers from "@/locales/en/servers.json";
import enModels from "@/locales/en/models.json";
import enPolicies from "@/locales/en/policies.json";
import enRoots from "@/locales/en/roots.json";
import enSafety from "@/locales/en/safety.json";
import enTrust from "@/locales/en/trust.json";
import enSettings from "@/locales/en/settings.json";
import enSignIn from "@/locales/en/sign-in.json";
import enVault from "@/locales/en/vault.json";
import enWorkbench from "@/locales/en/workbench.json";
import { recall, remember } from "./remembered";
import { addSentences } from "./sentence";

export const english = {
  common: enCommon,
  servers: enServers,
  settings: enSettings,
  workbench: enWorkbench,
  activity: enActivity,
  accounts: enAccounts,
  signIn: enSignIn,
  vault: enVault,
  form: enForm,
  inbox: enInbox,
  palette: enPalette,
  roots: enRoots,
  trust: enTrust,
  policies: enPolicies,
  models: enModels,
  apps: enApps,
  safety: enSafety,
};

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "common";
    resources: typeof english;
  }
}

type Spoken = Exclude<Language, "system">;

/** The language the system asks for, among those we speak. */
export function systemLanguage(wanted: readonly string[] = navigator.languages): Spoken {
  for (const tag of wanted) {
    if (/^zh\b/i.test(tag)) return "zh-CN";
    if (/^en\b/i.test(tag)) return "en";
  }
  return "en";
}

const spoken = (choice: Language): Spoken => (choice === "system" ? systemLanguage() : choice);

let current: Spoken = "en";

/** Loads the texts of a language, unless they are there. English always is. */
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

/** Changes the language and remembers it for the first frame of the next start. */
export function applyLanguage(choice: Language): Promise<void> {
  remember("language", choice);
  return change(spoken(choice));
}

/** Before the settings are known: the language of the last run, else the system's. Resolves once its texts are there. */
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
