// The sections and settings of the Settings screen, as in `settings.json`: the list of sections, the search, the
// palette and URLs are built from it. The search covers all texts of a setting's record.
import type { ParseKeys, TFunction } from "i18next";
import {
  Bell,
  Database,
  Folders,
  Gauge,
  Info,
  Keyboard,
  KeyRound,
  type LucideIcon,
  Network,
  PanelTop,
  ScrollText,
  SunMoon,
  Terminal,
} from "lucide-react";
import type { DecisionKind } from "@/ipc/bindings/DecisionKind";
import { english, type Texts } from "./i18n";
import { questionKinds } from "./question-kinds";

export const settingTexts = ["settings", "common", "inbox"] as const;
type Namespaces = typeof settingTexts;
type Key = ParseKeys<Namespaces>;
type Translate = TFunction<Namespaces>;

/** The members that have this text. */
type With<Name extends string, T> = { [K in keyof T]: T[K] extends Record<Name, string> ? K : never }[keyof T];
type All = Texts["settings"];

export type SectionId = With<"title", All>;
export type SettingId = { [S in SectionId]: With<"label", All[S]> }[SectionId] | `notify_${DecisionKind}`;

interface Setting {
  readonly id: SettingId;
  readonly label: Key;
  readonly hint?: Key;
  /** Other search texts: its choices and synonyms. */
  readonly also: readonly Key[];
}

interface Section {
  readonly id: SectionId;
  readonly icon: LucideIcon;
  readonly title: Key;
  readonly text?: Key;
  readonly also?: Key;
  readonly settings: readonly Setting[];
}

/** The sections in their order. */
const icons: Record<SectionId, LucideIcon> = {
  appearance: SunMoon,
  background: PanelTop,
  notifications: Bell,
  folders: Folders,
  limits: Gauge,
  network: Network,
  log: ScrollText,
  programs: Terminal,
  data: Database,
  sign_in: KeyRound,
  shortcuts: Keyboard,
  about: Info,
};

/** The keys of existing texts, by name. */
const keysOf = <Name extends string>(path: string, texts: object, names: readonly Name[]): { [N in Name]?: Key } =>
  Object.fromEntries(names.filter((name) => name in texts).map((name) => [name, `settings:${path}.${name}`])) as { [N in Name]?: Key };

function settingsIn(section: SectionId): Setting[] {
  return Object.entries<object | string>(english.settings[section]).flatMap(([id, texts]) => {
    if (typeof texts === "string") return [];
    const { label, hint, ...also } = keysOf(`${section}.${id}`, texts, Object.keys(texts));
    return label === undefined ? [] : [{ id: id as SettingId, label, ...(hint && { hint }), also: Object.values(also) as Key[] }];
  });
}

const ofKinds = questionKinds.map((kind): Setting => ({ id: `notify_${kind}`, label: `inbox:notify.${kind}`, also: [] }));

export const sections = (Object.keys(icons) as SectionId[]).map((id): Section => ({
  ...keysOf(id, english.settings[id], ["text", "also"]),
  id,
  icon: icons[id],
  title: `settings:${id}.title`,
  settings: [...settingsIn(id), ...(id === "notifications" ? ofKinds : [])],
}));

const byId = Object.fromEntries(
  sections.flatMap((section) => section.settings.map((setting) => [setting.id, { section: section.id, setting }])),
) as Record<SettingId, { section: SectionId; setting: Setting }>;

export const isSection = (text: unknown): text is SectionId => sections.some((section) => section.id === text);
export const isSetting = (text: unknown): text is SettingId => typeof text === "string" && Object.hasOwn(byId, text);

/** The texts of a setting. */
export const settingOf = (id: SettingId): Setting => byId[id].setting;

/** The section of a setting. */
export const sectionOf = (id: SettingId): SectionId => byId[id].section;

/** The settings that contain every word, by section. */
export function findSettings(typed: string, t: Translate): { section: Section; settings: readonly SettingId[] }[] {
  const words = typed.toLowerCase().split(/\s+/u).filter(Boolean);
  const found = (keys: readonly (Key | undefined)[]) => {
    const texts = keys
      .map((key) => (key === undefined ? "" : t(key)))
      .join("\n")
      .toLowerCase();
    return words.every((word) => texts.includes(word));
  };
  return sections.flatMap((section) => {
    const settings = section.settings.filter(({ label, hint, also }) => found([section.title, section.also, label, hint, ...also]));
    return settings.length === 0 ? [] : [{ section, settings: settings.map(({ id }) => id) }];
  });
}
