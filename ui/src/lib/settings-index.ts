// Every section of the Settings screen and every setting in it, with the keys of its texts: the list of sections, the
// search, the palette and addresses are made from it.
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

export const settingTexts = ["settings", "roots", "common", "inbox", "palette"] as const;
type Namespaces = typeof settingTexts;
type Key = ParseKeys<Namespaces>;
type Translate = TFunction<Namespaces>;

interface SettingEntry {
  readonly id: string;
  readonly label: Key;
  readonly hint?: Key;
  /** What else it is found by: its choices, other words for it. */
  readonly also?: readonly Key[];
}

interface SectionEntry {
  readonly id: string;
  readonly icon: LucideIcon;
  readonly title: Key;
  readonly text?: Key;
  readonly also?: Key;
  readonly settings: readonly SettingEntry[];
}

const index = [
  {
    id: "appearance",
    icon: SunMoon,
    title: "settings:appearance.title",
    settings: [
      {
        id: "theme",
        label: "settings:appearance.theme",
        also: ["settings:appearance.system", "settings:appearance.light", "settings:appearance.dark"],
      },
      {
        id: "density",
        label: "settings:appearance.density",
        hint: "settings:appearance.densityHint",
        also: ["settings:appearance.comfortable", "settings:appearance.compact"],
      },
      { id: "zoom", label: "settings:appearance.zoom", hint: "settings:appearance.zoomHint" },
      { id: "language", label: "settings:appearance.language", also: ["palette:also.language"] },
    ],
  },
  {
    id: "background",
    icon: PanelTop,
    title: "settings:background.title",
    text: "settings:background.text",
    also: "palette:also.background",
    settings: [
      {
        id: "whenClosed",
        label: "settings:background.whenClosed",
        hint: "settings:background.whenClosedHint",
        also: ["settings:background.keep_running", "settings:background.quit"],
      },
      { id: "tray", label: "settings:background.tray", hint: "settings:background.trayHint" },
      { id: "appsPort", label: "settings:background.appsPort", hint: "settings:background.appsPortHint", also: ["palette:also.appsPort"] },
      {
        id: "terminals",
        label: "settings:background.terminals",
        hint: "settings:background.terminalsHint",
        also: ["palette:also.terminals"],
      },
      { id: "startAtLogin", label: "settings:background.startAtLogin", hint: "settings:background.startAtLoginHint" },
      { id: "pause", label: "settings:background.pause", hint: "settings:background.pauseHint", also: ["settings:background.resume"] },
    ],
  },
  {
    id: "notifications",
    icon: Bell,
    title: "settings:notifications.title",
    text: "settings:notifications.text",
    settings: [
      {
        id: "doNotDisturb",
        label: "settings:notifications.quiet",
        hint: "settings:notifications.quietHint",
        also: ["settings:notifications.hour", "settings:notifications.tomorrow", "settings:notifications.always"],
      },
      { id: "notify_tool", label: "settings:notifications.tool" },
      { id: "notify_app", label: "settings:notifications.app" },
      { id: "notify_form", label: "settings:notifications.form" },
      { id: "notify_url", label: "settings:notifications.url" },
      { id: "notify_sampling", label: "settings:notifications.sampling" },
      { id: "notify_sampling_answer", label: "settings:notifications.sampling_answer" },
      { id: "notify_roots", label: "settings:notifications.roots" },
    ],
  },
  {
    id: "folders",
    icon: Folders,
    title: "roots:settings.title",
    text: "roots:settings.text",
    also: "palette:also.folders",
    settings: [{ id: "folders", label: "roots:add.label" }],
  },
  {
    id: "limits",
    icon: Gauge,
    title: "settings:limits.title",
    text: "settings:limits.text",
    settings: [
      { id: "maxMessageMiB", label: "settings:limits.maxMessageMiB.label", hint: "settings:limits.maxMessageMiB.hint" },
      { id: "startTimeoutSeconds", label: "settings:limits.startTimeoutSeconds.label", hint: "settings:limits.startTimeoutSeconds.hint" },
      { id: "requestIdleSeconds", label: "settings:limits.requestIdleSeconds.label", hint: "settings:limits.requestIdleSeconds.hint" },
      { id: "requestTotalSeconds", label: "settings:limits.requestTotalSeconds.label", hint: "settings:limits.requestTotalSeconds.hint" },
      { id: "fixedLimits", label: "settings:fixed.title", hint: "settings:fixed.text" },
    ],
  },
  {
    id: "network",
    icon: Network,
    title: "settings:network.title",
    text: "settings:network.text",
    also: "palette:also.network",
    settings: [
      {
        id: "proxy",
        label: "settings:network.proxy",
        hint: "settings:network.proxyHint",
        also: ["settings:network.system", "settings:network.custom", "settings:network.url", "settings:network.except"],
      },
      { id: "certificates", label: "settings:network.certificates", hint: "settings:network.certificatesHint" },
    ],
  },
  {
    id: "log",
    icon: ScrollText,
    title: "settings:log.title",
    text: "settings:log.text",
    also: "palette:also.activity",
    settings: [
      { id: "maxLogMiB", label: "settings:limits.maxLogMiB.label", hint: "settings:limits.maxLogMiB.hint" },
      {
        id: "keepLogDays",
        label: "settings:log.keep",
        hint: "settings:log.keepHint",
        also: ["settings:log.keepAll", "palette:also.keepLogDays"],
      },
      { id: "events", label: "settings:log.events", also: ["settings:log.delete"] },
    ],
  },
  {
    id: "programs",
    icon: Terminal,
    title: "settings:programs.title",
    text: "settings:programs.text",
    settings: [{ id: "path", label: "settings:programs.source", also: ["settings:programs.environment"] }],
  },
  {
    id: "data",
    icon: Database,
    title: "settings:data.title",
    text: "settings:data.text",
    settings: [
      { id: "dataFolder", label: "settings:data.folder", also: ["settings:data.open"] },
      { id: "databaseSize", label: "settings:data.size" },
      { id: "backup", label: "settings:data.backup", hint: "settings:data.backupHint" },
    ],
  },
  {
    id: "sign_in",
    icon: KeyRound,
    title: "settings:signIn.title",
    text: "settings:signIn.text",
    settings: [{ id: "clientDocument", label: "settings:signIn.label", hint: "settings:signIn.hint" }],
  },
  {
    id: "shortcuts",
    icon: Keyboard,
    title: "common:shortcuts.title",
    also: "palette:also.shortcuts",
    settings: [{ id: "shortcuts", label: "common:shortcuts.title" }],
  },
  {
    id: "about",
    icon: Info,
    title: "settings:about.title",
    settings: [
      { id: "version", label: "settings:about.version" },
      { id: "licence", label: "settings:about.licence" },
      { id: "notices", label: "settings:about.notices", hint: "settings:about.noticesHint" },
      { id: "honest", label: "settings:about.honest", also: ["settings:about.rights", "settings:about.secrets", "settings:about.words"] },
    ],
  },
] as const satisfies readonly SectionEntry[];

export type SectionId = (typeof index)[number]["id"];
export type SettingId = (typeof index)[number]["settings"][number]["id"];

interface Setting extends SettingEntry {
  readonly id: SettingId;
}

interface Section extends Omit<SectionEntry, "settings"> {
  readonly id: SectionId;
  readonly settings: readonly Setting[];
}

/** The sections in their order. */
export const sections: readonly Section[] = index;

const byId = Object.fromEntries(
  sections.flatMap((section) => section.settings.map((setting) => [setting.id, { section: section.id, setting }])),
) as Record<SettingId, { section: SectionId; setting: Setting }>;

export const isSection = (text: unknown): text is SectionId => sections.some((section) => section.id === text);
export const isSetting = (text: unknown): text is SettingId => typeof text === "string" && Object.hasOwn(byId, text);

/** The texts of a setting. */
export const settingOf = (id: SettingId): Setting => byId[id].setting;

/** The section that a setting is in. */
export const sectionOf = (id: SettingId): SectionId => byId[id].section;

/** The settings in whose texts every word occurs, by section. */
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
    const settings = section.settings.filter(({ label, hint, also = [] }) => found([section.title, section.also, label, hint, ...also]));
    return settings.length === 0 ? [] : [{ section, settings: settings.map(({ id }) => id) }];
  });
}
