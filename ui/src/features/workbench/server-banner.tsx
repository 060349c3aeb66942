import { useNavigate } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { NextStep } from "@/components/next-step";
import { StateMark } from "@/components/state-mark";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { shownState } from "@/lib/server-state";
import { visibleLine } from "@/lib/untrusted";
import { useServerActions } from "./server-actions";
import { canStart, isConnected } from "./tree/tree-rows";

/** Above the arguments of a tool whose server isn't connected: why Run is disabled, and the next step. */
export function ServerBanner({ server }: { server: ServerView }) {
  const { t } = useTranslation("workbench");
  const actions = useServerActions(server);
  const navigate = useNavigate();
  if (isConnected(server.state)) return null;
  return (
    <div role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1.5 rounded-m border border-line bg-sunken px-3 py-2">
      <StateMark state={shownState(server)} />
      <span className="min-w-40 flex-1 text-fg-2">
        {t(canStart(server.state) ? "server.restsStart" : "server.rests", { name: visibleLine(server.name) })}
      </span>
      <NextStep server={server} />
      {canStart(server.state) ? (
        <Button icon={Play} busy={actions.busy} onClick={actions.start}>
          {t("server.start")}
        </Button>
      ) : (
        <Button look="ghost" onClick={() => void navigate({ to: "/servers", search: { id: server.id } })}>
          {t("server.show")}
        </Button>
      )}
    </div>
  );
}
