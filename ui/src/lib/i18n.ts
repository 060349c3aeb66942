// Languages of the window. Every string comes from locales/; English is the reference and the fallback.
import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import type { Language } from "@/ipc/bindings/Language";
import enAccounts from "@/locales/en/accounts.json";
import enActivity from "@/locales/en/activity.json";
import enCommon from "@/locales/en/common.json";
import enInbox from "@/locales/en/inbox.json";
import enPalette from "@/locales/en/palette.json";
import enServers from "@/locales/en/servers.json";
import enModels from "@/locales/en/models.json";
import enPolicies from "@/locales/en/policies.json";
import enRoots from "@/locales/en/roots.json";
import enTrust from "@/locales/en/trust.json";
import enSettings from "@/locales/en/settings.json";
import enSignIn from "@/locales/en/sign-in.json";
import enVault from "@/locales/en/vault.json";
import enWorkbench from "@/locales/en/workbench.json";
import zhAccounts from "@/locales/zh-CN/accounts.json";
import zhActivity from "@/locales/zh-CN/activity.json";
import zhCommon from "@/locales/zh-CN/common.json";
import zhInbox from "@/locales/zh-CN/inbox.json";
import zhPalette from "@/locales/zh-CN/palette.json";
import zhServers from "@/locales/zh-CN/servers.json";
import zhModels from "@/locales/zh-CN/models.json";
import zhPolicies from "@/locales/zh-CN/policies.json";
import zhRoots from "@/locales/zh-CN/roots.json";
import zhTrust from "@/locales/zh-CN/trust.json";
import zhSettings from "@/locales/zh-CN/settings.json";
import zhSignIn from "@/locales/zh-CN/sign-in.json";
import zhVault from "@/locales/zh-CN/vault.json";
import zhWorkbench from "@/locales/zh-CN/workbench.json";
import { recall, remember } from "./remembered";

export const english = {
  common: enCommon,
  servers: enServers,
  settings: enSettings,
  workbench: enWorkbench,
  activity: enActivity,
  accounts: enAccounts,
  signIn: enSignIn,
  vault: enVault,
  inbox: enInbox,
  palette: enPalette,
  roots: enRoots,
  trust: enTrust,
  policies: enPolicies,
  models: enModels,
};
export const chinese = {
  common: zhCommon,
  servers: zhServers,
  settings: zhSettings,
  workbench: zhWorkbench,
  activity: zhActivity,
  accounts: zhAccounts,
  signIn: zhSignIn,
  vault: zhVault,
  inbox: zhInbox,
  palette: zhPalette,
  roots: zhRoots,
  trust: zhTrust,
  policies: zhPolicies,
  models: zhModels,
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

/** Puts a language in force and remembers it for the first frame of the next start. */
export function applyLanguage(choice: Language): void {
  remember("language", choice);
  const language = spoken(choice);
  document.documentElement.lang = language;
  if (i18next.language !== language) void i18next.changeLanguage(language);
}

/** Before the settings are known: the language of the last run, else the system's. */
export function startLanguage(): void {
  const last = recall("language");
  const language = spoken(last === "en" || last === "zh-CN" ? last : "system");
  document.documentElement.lang = language;
  void i18next
    .use(initReactI18next)
    .init({
      resources: { en: english, "zh-CN": chinese },
      lng: language,
      fallbackLng: "en",
      defaultNS: "common",
      interpolation: { escapeValue: false },
      initAsync: false,
      returnNull: false,
    });
}
