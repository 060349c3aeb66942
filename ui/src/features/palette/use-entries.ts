import { useQueries, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import {
  Activity,
  AppWindow,
  ClipboardPaste,
  FolderOpen,
  Globe,
  History,
  Keyboard,
  KeyRound,
  Languages,
  ListFilter,
  Library,
  LockKeyhole,
  LockKeyholeOpen,
  Moon,
  Pause,
  Play,
  Power,
  Rocket,
  ShieldCheck,
  Sun,
  SunMoon,
  Terminal,
  Wrench,
  type LucideIcon,
} from "lucide-react";
import { useTranslation } from "react-i18next";
import { standingOf, uses } from "@/lib/app-standing";
import type { Language } from "@/ipc/bindings/Language";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { Theme } from "@/ipc/bindings/Theme";
import { offerIcon } from "@/components/offer-icon";
import { appInfo, apps, background, prompts, resources, savedCalls, servers, settings, tools, vault } from "@/ipc/queries";
import { useAddServer } from "@/lib/add-server";
import { declares } from "@/lib/capabilities";
import { beginFirstSteps } from "@/lib/first-steps";
import { enterScreen } from "@/lib/enter-screen";
import { askSavedCall } from "@/lib/saved-calls";
import { sections, settingTexts } from "@/lib/settings-index";
import { showOverlay } from "@/lib/overlays";
import { usePlaces } from "@/lib/places";
import { toast } from "@/lib/toasts";
import { visibleLine } from "@/lib/untrusted";
import { useOpenWork } from "@/lib/work-focus";
import { useCommand } from "@/lib/use-command";
import { useSaveSettings } from "@/lib/use-save-settings";
import type { Entry } from "./entry";
import { useProfileEntries } from "./use-profile-entries";
import { useServerEntries } from "./use-server-entries";

const themes = [
  ["system", SunMoon],
  ["light", Sun],
  ["dark", Moon],
] as const satisfies readonly (readonly [Theme, unknown])[];
const languages: readonly Language[] = ["system", "en", "zh-CN"];

/** Everything that the palette can open or do now. `typed` is only used for the offer to search for it. */
export function useEntries(typed: string): Entry[] {
  return [
    ...useSaved(),
    ...usePlaceEntries(),
    ...useServers(),
    ...useApps(),
    ...useProfileEntries(),
    ...useActions(),
    ...useSettings(),
    ...useSearch(typed),
  ];
}

/** Favourites open in the Workbench, and saved calls run there. */
function useSaved(): Entry[] {
  const { t } = useTranslation("palette");
  const navigate = useNavigate();
  const openWork = useOpenWork();
  const { data: saved = [] } = useQuery(savedCalls());
  const { data: list = [] } = useQuery(servers());
  return saved.flatMap((call): Entry[] => {
    const server = list.find(({ id }) => id === call.serverId);
    if (server === undefined) return [];
    const shared = { also: [server.name, call.item, t(call.name === null ? "also.favourite" : "also.saved")], offered: true };
    const open = () => navigate({ to: "/workbench", search: { server: server.id, [call.kind]: call.item } });
    if (call.name === null)
      return [
        {
          ...shared,
          id: `favourite:${call.id}`,
          group: "favourite",
          title: visibleLine(call.item),
          code: true,
          subtitle: visibleLine(server.name),
          icon: offerIcon(call.kind, null),
          run: () => openWork(server.id, call.kind, call.item),
        },
      ];
    return [
      {
        ...shared,
        id: `saved:${call.id}`,
        group: "saved",
        title: t("saved", { name: visibleLine(call.name) }),
        // Shows what is about to run.
        subtitle: visibleLine(`${call.item} ${call.arguments === "{}" ? "" : call.arguments.slice(0, 200)} · ${server.name}`),
        icon: Play,
        run: () => {
          askSavedCall(call.id);
          void open();
        },
      },
    ];
  });
}

function usePlaceEntries(): Entry[] {
  const { t } = useTranslation("palette");
  const navigate = useNavigate();
  const place = (to: "/inbox/decisions" | "/review", name: "decisions" | "review", icon: LucideIcon): Entry => ({
    id: `place:${to}`,
    group: "place",
    title: t(name),
    also: [name, t(`also.${name}`)],
    icon,
    run: () => void navigate({ to }).then(enterScreen),
  });
  const listed = usePlaces().map((place): Entry => ({
    id: `place:${place.to}`,
    group: "place",
    title: t("place", { ns: place.name }),
    also: [place.name, t("also", { ns: place.name })],
    icon: place.icon,
    ...(place.keys && { keys: place.keys }),
    offered: true,
    run: () => void navigate({ to: place.to }).then(enterScreen),
  }));
  const catalog: Entry = {
    id: "place:/catalog",
    group: "place",
    title: t("place", { ns: "catalog" }),
    also: ["catalog", t("also", { ns: "catalog" })],
    icon: Library,
    run: () => void navigate({ to: "/catalog" }),
  };
  return [...listed, catalog, place("/inbox/decisions", "decisions", History), place("/review", "review", ShieldCheck)];
}

function useServers(): Entry[] {
  const { t } = useTranslation("palette");
  const openWork = useOpenWork();
  const { data: list = [] } = useQuery(servers());
  const ready = list.filter((server) => server.state === "ready" || server.state === "degraded");
  const lists = useQueries({ queries: ready.map((server) => tools(server.id)) });
  const ofServer = useServerEntries();

  const ofTools = ready.flatMap((server, index): Entry[] =>
    (lists[index]?.data?.tools ?? []).map((tool) => ({
      id: `tool:${server.id}:${tool.name}`,
      group: "tool",
      title: visibleLine(tool.name),
      code: true,
      subtitle: visibleLine(server.name),
      also: [server.name, tool.title ?? "", t("also.tool")],
      icon: Wrench,
      tool: { server, tool },
      run: () => openWork(server.id, "tool", tool.name),
    })),
  );
  return [...list.flatMap(ofServer), ...ofTools, ...useResources(ready), ...usePrompts(ready)];
}

/** Resources and templates of connected servers. Each opens in the Workbench. */
function useResources(ready: readonly ServerView[]): Entry[] {
  const { t } = useTranslation("palette");
  const openWork = useOpenWork();
  const lists = useQueries({
    queries: ready.map((server) => ({ ...resources(server.id), enabled: declares(server.capabilities, "resources") })),
  });
  return ready.flatMap((server, index): Entry[] => {
    const { resources: all = [], templates = [] } = lists[index]?.data ?? {};
    const shared = { group: "resource", code: true, subtitle: visibleLine(server.name) } as const;
    return [
      ...all.map((resource): Entry => ({
        ...shared,
        id: `resource:${server.id}:${resource.uri}`,
        title: visibleLine(resource.name === "" ? resource.uri : resource.name),
        also: [server.name, resource.title ?? "", resource.uri, t("also.resource")],
        icon: offerIcon("resource", resource.mimeType),
        run: () => openWork(server.id, "resource", resource.uri),
      })),
      ...templates.map((template): Entry => ({
        ...shared,
        id: `template:${server.id}:${template.uriTemplate}`,
        title: visibleLine(template.uriTemplate),
        also: [server.name, template.title ?? "", template.name, t("also.resource")],
        icon: offerIcon("template", null),
        run: () => openWork(server.id, "template", template.uriTemplate),
      })),
    ];
  });
}

/** Prompts of connected servers. Each opens in the Workbench. */
function usePrompts(ready: readonly ServerView[]): Entry[] {
  const { t } = useTranslation("palette");
  const openWork = useOpenWork();
  const lists = useQueries({
    queries: ready.map((server) => ({ ...prompts(server.id), enabled: declares(server.capabilities, "prompts") })),
  });
  return ready.flatMap((server, index) =>
    (lists[index]?.data?.prompts ?? []).map((prompt): Entry => ({
      id: `prompt:${server.id}:${prompt.name}`,
      group: "prompt",
      title: visibleLine(prompt.name),
      code: true,
      subtitle: visibleLine(server.name),
      also: [server.name, prompt.title ?? "", t("also.prompt")],
      icon: offerIcon("prompt", null),
      run: () => openWork(server.id, "prompt", prompt.name),
    })),
  );
}

/** Every app on this computer. Its screen has the details. */
function useApps(): Entry[] {
  const { t } = useTranslation(["palette", "apps"]);
  const navigate = useNavigate();
  const { data: list = [] } = useQuery(apps());
  return list
    .filter(({ state }) => state !== "absent")
    .map((app): Entry => {
      const name = visibleLine(app.title);
      const open = () => void navigate({ to: "/apps", search: { id: app.id, open: true } }).then(enterScreen);
      const shared = { group: "app", icon: AppWindow, run: open } as const;
      const verb = uses(app) ? "disconnect" : "connect";
      const activity = () => void navigate({ to: "/activity", search: { app: app.id } });
      return {
        ...shared,
        id: `app:${app.id}`,
        title: name,
        subtitle: t(`apps:state.${standingOf(app)}`),
        also: [t("also.app")],
        inside: [
          { ...shared, id: `app:${app.id}:${verb}`, title: t(`app.inside.${verb}`), also: [verb, name] },
          { ...shared, id: `app:${app.id}:activity`, title: t("server.inside.activity"), also: [name], icon: Activity, run: activity },
        ],
      };
    });
}

function useActions(): Entry[] {
  const { t } = useTranslation(["palette", "common", "settings"]);
  const navigate = useNavigate();
  const addServer = useAddServer();
  const { run } = useCommand();
  const { save } = useSaveSettings();
  const { data: now } = useQuery(settings());
  const { data: info } = useQuery(appInfo());
  const { data: sealed } = useQuery(vault());
  const { data: without } = useQuery(background());
  const { data: list = [] } = useQuery(servers());

  const said = (text: string) => (undo: () => void) => void toast({ text, action: { label: t("common:undo"), run: undo } });
  const action = (
    name: "add" | "url" | "import" | "demo" | "shortcuts" | "folder" | "secrets" | "vault" | "key" | "pause" | "resume" | "quit",
    icon: Entry["icon"],
    run: () => void,
    keys?: string,
  ): Entry => ({
    id: `action:${name}`,
    group: "action",
    title: t(`action.${name}`),
    also: [t(`also.${name}`)],
    icon,
    offered: !["folder", "demo", "pause", "resume", "quit"].includes(name),
    ...(keys === undefined ? {} : { keys }),
    run,
  });
  return [
    action("add", Terminal, () => addServer("command"), "n"),
    action("url", Globe, () => addServer("url")),
    action("import", ClipboardPaste, () => addServer("import")),
    ...(info?.demoServer ? [action("demo", Rocket, () => void run("add_demo_server", {}, { done: ({ id }) => beginFirstSteps(id) }))] : []),
    ...themes.map(([theme, icon]): Entry => ({
      id: `action:theme-${theme}`,
      group: "action",
      title: t(`theme.${theme}`),
      also: [t("also.theme")],
      icon,
      current: now?.theme === theme,
      run: () => void save({ theme }, said(t(`theme.${theme}`))),
    })),
    ...languages.map((language): Entry => ({
      id: `action:language-${language}`,
      group: "action",
      title: t(`language.${language}`),
      also: [t("settings:appearance.language.also")],
      icon: Languages,
      current: now?.language === language,
      run: () => void save({ language }, said(t(`language.${language}`))),
    })),
    action("secrets", LockKeyhole, () => void navigate({ to: "/accounts", search: { view: "secrets" } })),
    action("vault", LockKeyholeOpen, () => showOverlay("vault")),
    ...(sealed?.state === "open" ? [action("key", KeyRound, () => showOverlay("vault_key"))] : []),
    action("shortcuts", Keyboard, () => showOverlay("shortcuts"), "?"),
    action("folder", FolderOpen, () => void run("open_data_folder", {})),
    ...(list.some(({ state }) => state !== "stopped") ? [action("pause", Pause, () => void run("pause_servers", {}))] : []),
    ...(without?.paused ? [action("resume", Play, () => void run("resume_servers", {}))] : []),
    action("quit", Power, () => void run("quit", {}), "mod+q"),
  ];
}

/** Every section of the settings, and every setting in it. */
function useSettings(): Entry[] {
  const { t } = useTranslation([...settingTexts, "palette"]);
  const navigate = useNavigate();
  return sections.flatMap(({ id, icon, title, also, settings: inside }): Entry[] => [
    {
      id: `section:${id}`,
      group: "setting",
      title: t(title),
      subtitle: t("palette:settings"),
      also: [t("palette:settings"), t("settings:also"), ...(also === undefined ? [] : [t(also)])],
      icon,
      run: () => void navigate({ to: "/settings", search: { section: id } }),
    },
    ...inside
      .filter(({ label }) => t(label) !== t(title))
      .map((setting): Entry => ({
        id: `setting:${setting.id}`,
        group: "setting",
        title: t(setting.label),
        subtitle: t(title),
        also: [t(title), ...setting.also.map((key) => t(key))],
        icon,
        run: () => void navigate({ to: "/settings", search: { section: id, setting: setting.id } }),
      })),
  ]);
}

function useSearch(typed: string): Entry[] {
  const { t } = useTranslation("palette");
  const navigate = useNavigate();
  const text = typed.trim();
  if (text === "") return [];
  return [
    {
      id: "search:activity",
      group: "search",
      title: t("search", { text }),
      also: [],
      icon: ListFilter,
      run: () => void navigate({ to: "/activity", search: { text } }),
    },
  ];
}
