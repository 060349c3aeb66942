import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useLocation } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { EmptyState } from "@/components/empty-state";
import { ErrorNotice } from "@/components/error-notice";
import { SearchInput } from "@/components/input";
import { Kbd } from "@/components/kbd";
import { Page } from "@/components/page";
import { Skeleton } from "@/components/skeleton";
import type { Settings } from "@/ipc/bindings/Settings";
import { settings } from "@/ipc/queries";
import { composing } from "@/lib/composing";
import { errorWords } from "@/lib/error-text";
import { findSettings, type SectionId, sections, settingTexts } from "@/lib/settings-index";
import { useShortcut } from "@/lib/shortcuts";
import { About } from "./about";
import { Appearance } from "./appearance";
import { Background } from "./background";
import { DataFolder } from "./data-folder";
import { Folders } from "./folders";
import { Limits } from "./limits";
import { Log } from "./log";
import { Network } from "./network";
import { Notifications } from "./notifications";
import { Programs } from "./programs";
import { focusSetting, Sought } from "./section";
import { SectionList } from "./section-list";
import { Shortcuts } from "./shortcuts";
import { SignIn } from "./sign-in";

const route = getRouteApi("/settings");

/** The content of each section. Those with a parameter need the settings. */
const shown: Record<SectionId, (props: { settings: Settings }) => ReactNode> = {
  appearance: Appearance,
  background: Background,
  notifications: Notifications,
  folders: Folders,
  limits: Limits,
  network: Network,
  log: Log,
  programs: Programs,
  data: DataFolder,
  sign_in: SignIn,
  shortcuts: Shortcuts,
  about: About,
};

/** The application's settings, and information about it. */
export function SettingsScreen() {
  const { t } = useTranslation(settingTexts);
  const query = useQuery(settings());
  const navigate = route.useNavigate();
  const { section = "appearance", setting } = route.useSearch();
  const place = useLocation({ select: ({ state }) => state.__TSR_key });
  const box = useRef<HTMLInputElement>(null);
  // Opening another place, also with the palette, ends the search.
  const [search, setSearch] = useState({ place, text: "" });
  const text = search.place === place ? search.text : "";
  const type = (next: string) => setSearch({ place, text: next });
  const found = text.trim() === "" ? null : findSettings(text, t);
  const ready = !query.isPending;

  /** The last visit and setting that was scrolled to, because the same link may be followed again. */
  const broughtUp = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (!ready || setting === undefined || broughtUp.current === `${place} ${setting}`) return;
    broughtUp.current = `${place} ${setting}`;
    document.querySelector(`[data-setting="${setting}"]`)?.scrollIntoView({ block: "nearest" });
    focusSetting(setting);
  }, [ready, setting, place]);

  useShortcut("/", () => box.current?.focus());
  const step = (by: number) => () => {
    const next = sections[sections.findIndex(({ id }) => id === section) + by];
    if (next) void navigate({ search: { section: next.id }, replace: true });
  };
  useShortcut("j", step(1), { repeats: true });
  useShortcut("k", step(-1), { repeats: true });

  const parts = found === null ? [section] : found.map((hit) => hit.section.id);
  return (
    <Page title={t("place")}>
      <div className="@container min-h-0 flex-1">
        <div className="flex h-full flex-col @min-[600px]:flex-row">
          <div className="flex shrink-0 flex-col gap-2 border-b border-line p-3 @min-[600px]:w-52 @min-[600px]:overflow-y-auto @min-[600px]:border-r @min-[600px]:border-b-0">
            <SearchInput
              ref={box}
              icon={Search}
              role="searchbox"
              aria-label={t("settings:search")}
              placeholder={t("settings:search")}
              hint={text === "" ? <Kbd keys="/" /> : undefined}
              value={text}
              onChange={(event) => type(event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== "Escape" || composing(event.nativeEvent)) return;
                if (text === "") box.current?.blur();
                type("");
              }}
            />
            <SectionList chosen={found === null ? section : null} />
          </div>
          <div
            role="group"
            aria-label={t("place")}
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
            tabIndex={0}
            className="inset-focus min-h-0 min-w-0 flex-1 overflow-y-auto"
          >
            <p role="status" className="sr-only">
              {found !== null && t("settings:found", { count: found.reduce((sum, hit) => sum + hit.settings.length, 0) })}
            </p>
            {query.isPending ? (
              <Skeleton rows={8} />
            ) : query.error ? (
              <div className="max-w-150 p-5">
                <ErrorNotice title={t("settings:unread")} {...errorWords(query.error)} next={t("settings:unreadNext")}>
                  <Button busy={query.isFetching} onClick={() => void query.refetch()}>
                    {t("common:tryAgain")}
                  </Button>
                </ErrorNotice>
              </div>
            ) : parts.length === 0 ? (
              <EmptyState icon={Search} title={t("settings:nothing")} text={t("settings:nothingText", { text })}>
                <Button onClick={() => type("")}>{t("settings:clear")}</Button>
              </EmptyState>
            ) : (
              <div className="mx-auto flex max-w-170 flex-col gap-8 px-6 py-5">
                <Sought value={{ found: found && new Set(found.flatMap((hit) => hit.settings)), linked: setting }}>
                  {parts.map((id) => {
                    const Shown = shown[id];
                    return <Shown key={id} settings={query.data} />;
                  })}
                </Sought>
              </div>
            )}
          </div>
        </div>
      </div>
    </Page>
  );
}
