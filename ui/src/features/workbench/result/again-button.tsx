import { Play, RotateCcw } from "lucide-react";
import { useEffect, useEffectEvent, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { useCommand } from "@/lib/use-command";
import type { Run } from "../runs";
import { canStart, isConnected } from "../tree/tree-rows";

/** Repeats the call, and starts its server first if it isn't running. */
export function AgainButton({ run, server, onAgain }: { run: Run; server: ServerView | null; onAgain: () => void }) {
  const { t } = useTranslation("workbench");
  const { busy, run: command } = useCommand();
  /** Whether the server is being started for this call. */
  const waits = useRef(false);
  const connected = server !== null && isConnected(server.state);
  const stands = server?.state;
  const follow = useEffectEvent((now: typeof stands) => {
    if (waits.current && connected) onAgain();
    // If the start fails, the call must not run later.
    if (connected || now === undefined || canStart(now)) waits.current = false;
  });
  useEffect(() => follow(stands), [stands]);
  const { kind } = run.target;
  if (server === null || run.logged !== undefined) return null;
  if (connected)
    return (
      <Button icon={RotateCcw} onClick={onAgain}>
        {t(`outcome.again.${kind}`)}
      </Button>
    );
  const starting = server.state === "starting";
  if (!canStart(server.state) && !starting) return null;
  return (
    <Button
      icon={Play}
      busy={busy || starting}
      onClick={() => {
        waits.current = true;
        void command("start_server", { id: server.id });
      }}
    >
      {t(`outcome.startAgain.${kind}`)}
    </Button>
  );
}
