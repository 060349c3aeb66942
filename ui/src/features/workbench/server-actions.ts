import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { call } from "@/ipc/bridge";
import { toast } from "@/lib/toasts";
import { errorText } from "@/lib/error-text";
import { visibleLine } from "@/lib/untrusted";

/** Start, stop, restart. What follows is seen in the server's state; only a refusal is told. */
export function useServerActions(server: ServerView) {
  const { t } = useTranslation("workbench");
  const act = useMutation({
    mutationFn: (command: "start_server" | "stop_server" | "restart_server") => call(command, { id: server.id }),
    onError: (error) =>
      toast({ tone: "bad", text: t("server.refused", { name: visibleLine(server.name), message: visibleLine(errorText(error)) }) }),
  });
  return {
    busy: act.isPending,
    start: () => act.mutate("start_server"),
    stop: () => act.mutate("stop_server"),
    restart: () => act.mutate("restart_server"),
  };
}
