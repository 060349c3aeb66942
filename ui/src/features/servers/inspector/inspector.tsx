import {
  ArrowLeft,
  CircleStop,
  FileDiff,
  FileText,
  Folder,
  Info,
  KeyRound,
  MessageSquareText,
  PencilLine,
  Play,
  RefreshCw,
  ShieldCheck,
  SlidersHorizontal,
  Wrench,
  X,
} from "lucide-react";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "@/components/button";
import { Elapsed } from "@/components/elapsed";
import { MoreMenu } from "@/components/menu";
import { ServerMark } from "@/components/server-mark";
import { StateMark } from "@/components/state-mark";
import { Tabs } from "@/components/tabs";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { cx } from "@/lib/cx";
import { formatAgo, formatSpan } from "@/lib/format";
import { attemptOf, shownState } from "@/lib/server-state";
import { visibleLine } from "@/lib/untrusted";
import { useNow } from "@/lib/use-now";
import { running, type ServerActions } from "../actions";
import { useServerMenu } from "../list/server-menu";
import type { ServerTab } from "../search";
import { ToolsTab } from "../tools/tools-tab";
import { EditServer } from "./edit-server";
import { Overview } from "./overview";
import { PromptsTab } from "./prompts-tab";
import { ResourcesTab } from "./resources-tab";
import { RootsTab } from "../roots/roots-tab";
import { SignInTab } from "../sign-in/sign-in-tab";
import { TrustTab } from "../trust/trust-tab";

/** When the state began. Unknown for waiting or changed servers, which were ready before. */
function timeOf(server: ServerView, now: number, language: string, t: TFunction<"servers">): string | null {
  switch (shownState(server)) {
    case "waiting_for_you":
    case "changed":
      return null;
    case "stopped":
    case "asleep":
    case "failed":
      return formatAgo(server.since, now, language);
    default:
      return t("inspector.lasting", { time: formatSpan(Math.max(1_000, now - server.since), language) });
  }
}

/** The details of a server: its state, its offers, its configuration. */
export function Inspector({
  server,
  tab,
  onTab,
  actions,
  onClose,
  onBack,
}: {
  server: ServerView;
  tab: ServerTab;
  onTab: (tab: ServerTab) => void;
  actions: ServerActions;
  /** In a sheet: closes it. */
  onClose?: () => void;
  /** On a separate page: returns to the list. */
  onBack?: () => void;
}) {
  const { t, i18n } = useTranslation("servers");
  const now = useNow(15_000);
  const menu = useServerMenu(server, actions, onTab);
  const up = running(server);
  // Its overview has a button for the next step.
  const isToldHow = server.state === "failed" && server.failure !== null && tab === "overview";
  const attempt = attemptOf(server);
  const name = visibleLine(server.name);
  const changed = server.changed ? { icon: FileDiff, className: "text-warn", text: t("state.changed", { ns: "common" }) } : undefined;
  const missing = server.secrets.some((secret) => !secret.entered)
    ? { icon: PencilLine, className: "text-warn", text: t("secret.missingMark") }
    : undefined;
  return (
    <aside
      aria-label={t("inspector.label", { name })}
      className={cx("flex min-h-0 flex-1 flex-col bg-surface", onBack && "[&_[role=tabpanel]>*]:w-full [&_[role=tabpanel]>*]:max-w-220")}
    >
      <div className="flex items-start gap-1 pt-3.5 pr-3 pb-2 pl-5">
        {onBack && <IconButton icon={ArrowLeft} label={t("inspector.back")} keys="escape" onClick={onBack} className="-ml-2" />}
        <ServerMark server={server} className="mr-2" />
        <div className="min-w-0 flex-1">
          <div className="flex items-start gap-1">
            <h2 className="selectable m-0 line-clamp-3 min-w-0 flex-1 text-xl font-[620] tracking-[-.015em] wrap-any">{name}</h2>
            {up ? (
              <Button icon={CircleStop} keys="s" onClick={() => void actions.stop(server.id)}>
                {t("menu.stop")}
              </Button>
            ) : isToldHow ? null : (
              <Button icon={Play} keys="s" onClick={() => void actions.start(server.id)}>
                {t("menu.start")}
              </Button>
            )}
            {!isToldHow && (
              <IconButton icon={RefreshCw} label={t("menu.restart")} keys="r" onClick={() => void actions.restart(server.id)} />
            )}
            <MoreMenu label={t("menu.more")} items={menu} />
            {onClose && <IconButton icon={X} label={t("close", { ns: "common" })} keys="escape" onClick={onClose} />}
          </div>
          <p className="m-0 mt-0.5 flex min-w-0 flex-wrap items-center gap-x-1.5 text-fg-3">
            <StateMark state={shownState(server)} />
            <span className="whitespace-nowrap">
              {attempt !== null ? (
                t("inspector.attempt", { count: attempt })
              ) : server.state === "starting" ? (
                <Elapsed since={server.since} />
              ) : (
                timeOf(server, now, i18n.language, t)
              )}
            </span>
          </p>
        </div>
      </div>
      <Tabs
        label={t("inspector.tabs")}
        value={tab === "sign_in" && server.transport !== "http" ? "overview" : tab}
        onChange={onTab}
        tabs={[
          {
            value: "overview",
            icon: Info,
            label: t("inspector.overview"),
            content: <Overview server={server} actions={actions} onTab={onTab} />,
          },
          { value: "tools", icon: Wrench, label: t("inspector.tools"), content: <ToolsTab server={server} /> },
          { value: "resources", icon: FileText, label: t("inspector.resources"), content: <ResourcesTab server={server} /> },
          { value: "prompts", icon: MessageSquareText, label: t("inspector.prompts"), content: <PromptsTab server={server} /> },
          ...(server.transport === "http"
            ? [{ value: "sign_in" as const, icon: KeyRound, label: t("inspector.signIn"), content: <SignInTab server={server} /> }]
            : []),
          { value: "roots", icon: Folder, label: t("inspector.roots"), content: <RootsTab server={server} /> },
          { value: "trust", icon: ShieldCheck, label: t("inspector.trust"), mark: changed, content: <TrustTab server={server} /> },
          {
            value: "settings",
            icon: SlidersHorizontal,
            label: t("inspector.settings"),
            mark: missing,
            content: <EditServer server={server} actions={actions} />,
          },
        ]}
      />
    </aside>
  );
}
