import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Inbox, KeyRound, Plug, RefreshCw, Unplug, X } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "@/components/button";
import { ErrorNotice } from "@/components/error-notice";
import { Fold } from "@/components/fold";
import { MoreMenu } from "@/components/menu";
import type { AppView } from "@/ipc/bindings/AppView";
import { apps } from "@/ipc/queries";
import { enterScreen } from "@/lib/enter-screen";
import { wholeSentence } from "@/lib/sentence";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";
import { AppState } from "./app-state";
import { type Change, ChangeDialog } from "./change-dialog";
import { Cost } from "./cost";
import { ImportDialog } from "./import-dialog";
import { KeyNotice } from "./key-notice";
import { LevelChoice } from "./level-choice";
import { LongestName } from "./longest-name";
import { OwnServers } from "./own-servers";
import { isRemovable, RemoveKey } from "./remove-key";
import { RunningCalls, useConnections } from "./running-calls";
import { needsKey, standingOf, uses } from "@/lib/app-standing";
import { Setup } from "./setup";
import { Summary } from "./summary";
import { ToolListChoice } from "./tool-list-choice";
import { Visibility } from "./visibility";

/** The details of an app: what it gets and does, its permissions, its own servers, and its setup. */
export function AppInspector({
  app,
  onClose,
}: {
  app: AppView;
  /** In a sheet: closes it. */
  onClose?: () => void;
}) {
  const { t } = useTranslation("apps");
  const [open, setOpen] = useState<Change | "import" | null>(null);
  const { run } = useCommand();
  const close = () => setOpen(null);
  const title = visibleLine(app.title);
  const listed = app.file !== null;
  const connections = useConnections(app.id);
  const isUsed = uses(app) || connections > 0;
  // Before an app is connected, its own servers come first.
  const ownFirst = !uses(app) && app.servers.some((server) => !server.ours);
  const own = listed && <OwnServers app={app} onImport={() => setOpen("import")} onRemove={() => setOpen("removeOwn")} />;
  return (
    <aside aria-label={t("inspector.label", { name: title })} className="flex min-h-0 flex-1 flex-col bg-surface">
      <div className="flex items-start gap-1 border-b border-line pt-3.5 pr-3 pb-3 pl-5">
        <div className="min-w-0 flex-1">
          <h2 className="selectable m-0 line-clamp-3 text-xl font-[620] tracking-[-.015em] wrap-any">
            <bdi>{title}</bdi>
          </h2>
          <p className="m-0 mt-1 min-w-0 text-fg-2">
            <AppState app={app} />
          </p>
        </div>
        {app.state === "connected" && app.key === "current" && app.repository === null && (
          <MoreMenu label={t("menu.more")} items={[{ label: t("renewKey.action"), icon: KeyRound, onSelect: () => setOpen("renewKey") }]} />
        )}
        {onClose && <IconButton icon={X} label={t("close", { ns: "common" })} keys="escape" onClick={onClose} />}
      </div>
      <div className="flex min-h-0 flex-1 flex-col gap-6 overflow-y-auto px-5 py-4">
        {app.changed && (
          <ErrorNotice tone="changed" title={t("changed.title")} why={t("changed.why")}>
            <Button onClick={() => void run("set_app_level", { id: app.id, level: app.chosenLevel })}>{t("changed.settle")}</Button>
          </ErrorNotice>
        )}
        <KeyNotice app={app} onChange={setOpen} />
        <Standing app={app} onConnect={() => setOpen("connect")} />
        <Summary app={app} />
        <RunningCalls app={app.id} />
        {ownFirst && own}
        <LevelChoice app={app} />
        <Visibility app={app} />
        <Cost id={app.id} used={isUsed} />
        {!ownFirst && own}
        <Fold title={t("inspector.more")} open={app.toolList === "search" || app.longestName !== null}>
          <div className="flex flex-col gap-4">
            <ToolListChoice app={app} />
            <LongestName app={app} />
          </div>
        </Fold>
        <Setup app={app} />
        {(app.state === "connected" || app.recorded || isRemovable(app)) && (
          <div className="flex flex-wrap items-center gap-2 border-t border-line pt-4">
            {isRemovable(app) && <RemoveKey app={app} />}
            {app.recorded ? (
              <Button look="danger" icon={Unplug} onClick={() => setOpen("disconnect")}>
                {t("disconnect.action")}
              </Button>
            ) : (
              app.state === "connected" && <span className="text-fg-3">{t("disconnect.byHand")}</span>
            )}
          </div>
        )}
      </div>
      {open !== null && open !== "import" && <ChangeDialog app={app} kind={open} onClose={close} />}
      {open === "import" && <ImportDialog app={app} onClose={close} />}
    </aside>
  );
}

/** Why an app doesn't get the tools, with the next step as a button. The key's own notice covers its problems. */
function Standing({ app, onConnect }: { app: AppView; onConnect: () => void }) {
  const { t, i18n } = useTranslation(["apps", "common"]);
  const navigate = useNavigate();
  const { refetch, isFetching } = useQuery(apps());
  if (needsKey(app) && app.problem === null) return null;
  const why = app.problem !== null && wholeSentence(app.problem, i18n.language);
  const connect = (
    <Button look="primary" icon={Plug} onClick={onConnect}>
      {t("connect.action")}
    </Button>
  );
  switch (standingOf(app)) {
    case "broken":
      return (
        <ErrorNotice title={t("broken.title")} why={why} next={t("broken.next")}>
          {connect}
        </ErrorNotice>
      );
    case "unreadable":
      return (
        <ErrorNotice
          title={t("unreadable.title")}
          why={why}
          next={t(app.repository === null ? "unreadable.next" : "unreadable.nextShared")}
        >
          <Button look="primary" icon={RefreshCw} busy={isFetching} onClick={() => void refetch()}>
            {t("common:tryAgain")}
          </Button>
        </ErrorNotice>
      );
    case "found":
    case "absent":
      return (
        <ErrorNotice tone="info" title={t("found.title")} why={t("found.why")}>
          {connect}
        </ErrorNotice>
      );
    case "notAllowed":
      return (
        <ErrorNotice tone="info" title={t("state.notAllowed")} why={t("notAllowed.why")}>
          <Button look="primary" icon={Inbox} onClick={() => void navigate({ to: "/inbox" }).then(enterScreen)}>
            {t("notAllowed.open")}
          </Button>
        </ErrorNotice>
      );
    default:
      return null;
  }
}
