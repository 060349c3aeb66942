import { KeyRound, Plug, Unplug, X } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "@/components/button";
import { ErrorNotice } from "@/components/error-notice";
import { Fold } from "@/components/fold";
import { MoreMenu } from "@/components/menu";
import type { AppView } from "@/ipc/bindings/AppView";
import { KEEP_CLEAR } from "@/lib/clear-of";
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
import { needsKey, uses } from "@/lib/app-standing";
import { Setup } from "./setup";
import { Summary } from "./summary";
import { ToolListChoice } from "./tool-list-choice";
import { Visibility } from "./visibility";

/** One app from close by: what it gets and does, what it may do, its own servers, and last how it is set up. */
export function AppInspector({
  app,
  onClose,
}: {
  app: AppView;
  /** In a sheet: the way to close it. */
  onClose?: () => void;
}) {
  const { t, i18n } = useTranslation("apps");
  const [open, setOpen] = useState<Change | "import" | null>(null);
  const { run } = useCommand();
  const close = () => setOpen(null);
  const title = visibleLine(app.title);
  const listed = app.file !== null;
  const connections = useConnections(app.id);
  const isUsed = uses(app) || connections > 0;
  // Before an app is connected, its servers are what there is to take over.
  const ownFirst = !uses(app) && app.servers.some((server) => !server.ours);
  const own = listed && <OwnServers app={app} onImport={() => setOpen("import")} onRemove={() => setOpen("removeOwn")} />;
  return (
    <aside aria-label={t("inspector.label", { name: title })} className="flex min-h-0 flex-1 flex-col bg-surface">
      <div className="flex items-start gap-1 border-b border-line pt-3.5 pr-3 pb-3 pl-5">
        <div className="min-w-0 flex-1">
          <h2 className="selectable m-0 line-clamp-3 text-xl font-[620] tracking-[-.015em] wrap-any">
            <bdi>{title}</bdi>
          </h2>
          <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-fg-2">
            <p className="m-0 min-w-0">
              <AppState app={app} />
            </p>
            {listed && app.state !== "connected" && (
              <Button
                // One button is filled: that of the notice, where there is one.
                look={app.state === "unreadable" || needsKey(app) ? "default" : "primary"}
                icon={Plug}
                disabled={app.state === "unreadable"}
                onClick={() => setOpen("connect")}
              >
                {t("connect.action")}
              </Button>
            )}
          </div>
        </div>
        {app.state === "connected" && app.key === "current" && app.repository === null && (
          <MoreMenu label={t("menu.more")} items={[{ label: t("renewKey.action"), icon: KeyRound, onSelect: () => setOpen("renewKey") }]} />
        )}
        {onClose && <IconButton icon={X} label={t("close", { ns: "common" })} keys="escape" onClick={onClose} />}
      </div>
      <div className="flex min-h-0 flex-1 flex-col gap-6 overflow-y-auto px-5 py-4">
        {app.changed && (
          <ErrorNotice tone="changed" title={t("changed.title")} why={t("changed.why")}>
            <Button onClick={() => void run("set_app", { id: app.id, level: app.chosenLevel, off: app.off })}>{t("changed.settle")}</Button>
          </ErrorNotice>
        )}
        <KeyNotice app={app} onChange={setOpen} />
        {app.problem !== null && (
          <ErrorNotice
            title={t(app.state === "broken" ? "broken.title" : "unreadable.title")}
            why={wholeSentence(app.problem, i18n.language)}
            next={t(app.state === "broken" ? "broken.next" : app.repository === null ? "unreadable.next" : "unreadable.nextShared")}
          />
        )}
        <Summary app={app} />
        <RunningCalls app={app.id} />
        {ownFirst && own}
        <Visibility app={app} />
        <LevelChoice app={app} />
        <Cost id={app.id} used={isUsed} />
        {!ownFirst && own}
        <Fold title={t("inspector.more")} open={app.toolList === "search" || app.longestName !== null}>
          <div className="flex flex-col gap-4">
            <ToolListChoice app={app} />
            <LongestName app={app} />
          </div>
        </Fold>
        <Setup app={app} />
      </div>
      {(app.state === "connected" || app.recorded || isRemovable(app)) && (
        <footer {...KEEP_CLEAR} className="flex shrink-0 flex-wrap items-center gap-2 border-t border-line px-5 py-3">
          <span className="flex-1" />
          {isRemovable(app) && <RemoveKey app={app} />}
          {app.recorded ? (
            <Button look="danger" icon={Unplug} onClick={() => setOpen("disconnect")}>
              {t("disconnect.action")}
            </Button>
          ) : (
            app.state === "connected" && <span className="text-fg-3">{t("disconnect.byHand")}</span>
          )}
        </footer>
      )}
      {open !== null && open !== "import" && <ChangeDialog app={app} kind={open} onClose={close} />}
      {open === "import" && <ImportDialog app={app} onClose={close} />}
    </aside>
  );
}
