import { useNavigate } from "@tanstack/react-router";
import { Moon, Play, RotateCcw, Server, Wrench } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { EmptyState } from "@/components/empty-state";
import { ErrorNotice } from "@/components/error-notice";
import { NextStep } from "@/components/next-step";
import { StateMark } from "@/components/state-mark";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { failureWords } from "@/lib/failure-text";
import { shownState } from "@/lib/server-state";
import { visibleLine } from "@/lib/untrusted";
import { useServerActions } from "./server-actions";
import { canStart, isConnected } from "./tree/tree-rows";
import type { Unread } from "./use-offer";

/** A server without a selected item: its state, why it is empty, and the next step. `children` link to its offers. */
export function ServerPane({ server, unread, children }: { server: ServerView; unread: Unread | null; children?: ReactNode }) {
  const { t, i18n } = useTranslation("workbench");
  const actions = useServerActions(server);
  const navigate = useNavigate();
  const name = visibleLine(server.name);
  const show = (
    <Button look="ghost" icon={Server} onClick={() => void navigate({ to: "/servers", search: { id: server.id } })}>
      {t("server.show")}
    </Button>
  );
  const start = (
    <Button look="primary" icon={Play} busy={actions.busy} onClick={actions.start}>
      {t("server.start")}
    </Button>
  );
  const { failure } = server;
  const empty = server.toolCount === 0 && (server.resourceCount ?? 0) === 0 && (server.promptCount ?? 0) === 0;
  const problem = failure !== null && !isConnected(server.state);
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
      <div className="flex items-center gap-3 px-5 pt-4 pb-1">
        <h2 className="m-0 min-w-0 truncate text-lg font-[620] tracking-[-.01em]">
          <bdi>{name}</bdi>
        </h2>
        <StateMark state={shownState(server)} />
      </div>
      {problem && (
        <div className="max-w-150 px-5 pt-2">
          <ErrorNotice tone={shownState(server) === "failed" ? "bad" : "warn"} {...failureWords(failure, i18n.language)}>
            {canStart(server.state) && (
              <Button icon={RotateCcw} busy={actions.busy} onClick={actions.start}>
                {t("server.again")}
              </Button>
            )}
            <NextStep server={server} />
            {show}
          </ErrorNotice>
        </div>
      )}
      {unread !== null && isConnected(server.state) && (
        <div className="max-w-150 px-5 pt-2">
          <ErrorNotice title={t(unread.part ? "server.unreadPart" : "server.unread")} next={t("server.unreadNext")} evidence={unread.why}>
            <Button icon={RotateCcw} busy={actions.busy} onClick={actions.restart}>
              {t("server.restart")}
            </Button>
            {show}
          </ErrorNotice>
        </div>
      )}
      {!problem &&
        unread === null &&
        (canStart(server.state) ? (
          <EmptyState
            icon={server.state === "asleep" ? Moon : Play}
            title={t(server.state === "asleep" ? "server.asleep.title" : "server.stopped.title", { name })}
            text={t(server.state === "asleep" ? "server.asleep.text" : "server.stopped.text")}
          >
            {start}
            {show}
          </EmptyState>
        ) : !isConnected(server.state) ? (
          <EmptyState icon={Server} title={t("server.wait.title", { name })} text={t("server.wait.text")}>
            <NextStep server={server} />
            {show}
          </EmptyState>
        ) : empty ? (
          <EmptyState icon={Wrench} title={t("server.nothing.title", { name })} text={t("server.nothing.text")}>
            {show}
          </EmptyState>
        ) : (
          <EmptyState icon={Wrench} title={t("pick.title")} text={t("pick.text")}>
            {children}
          </EmptyState>
        ))}
    </div>
  );
}
