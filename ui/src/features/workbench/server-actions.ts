import { useTranslation } from "react-i18next";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";

/** Starts, stops or restarts a server. Only failures are announced, because the state shows the rest. */
export function useServerActions({ id, name }: ServerView) {
  const { t } = useTranslation("workbench");
  const { busy, run } = useCommand({ failure: (text) => t("server.refused", { name: visibleLine(name), message: visibleLine(text) }) });
  return {
    busy,
    start: () => void run("start_server", { id }),
    stop: () => void run("stop_server", { id }),
    restart: () => void run("restart_server", { id }),
  };
}
