// What can be done with a server from every place on this screen. Failures become a message; removal can be undone.
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { call } from "@/ipc/bridge";
import { servers } from "@/ipc/queries";
import { useSignIn } from "@/lib/sign-in";
import { errorText } from "@/lib/error-text";
import { betweenSentences } from "@/lib/sentence";
import { toast } from "@/lib/toasts";
import { visibleLine } from "@/lib/untrusted";

/** Whether a server is up or on its way up, so that it can be stopped. */
export const running = (server: ServerView): boolean => server.state !== "stopped" && server.state !== "failed";

/** Whether a server answers what it is asked. */
export const answers = (server: ServerView): boolean =>
  server.state === "ready" || server.state === "degraded" || server.state === "waiting_for_you";

type Verb = "start" | "stop" | "restart" | "add" | "remove" | "restore";

export function useServerActions() {
  const { t, i18n } = useTranslation("servers");
  const client = useQueryClient();
  const signing = useSignIn();

  const attempt = async <T>(verb: Verb, work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      toast({ text: `${t(`not.${verb}`)}${betweenSentences(i18n.language)}${errorText(error)}`, tone: "bad" });
      return null;
    } finally {
      void client.invalidateQueries({ queryKey: servers().queryKey });
    }
  };

  const restore = (id: number) => attempt("restore", () => call("restore_server", { id }));

  return {
    start: (id: number) => attempt("start", () => call("start_server", { id })),
    stop: (id: number) => attempt("stop", () => call("stop_server", { id })),
    restart: (id: number) => attempt("restart", () => call("restart_server", { id })),
    toggle: (server: ServerView) =>
      attempt(running(server) ? "stop" : "start", () => call(running(server) ? "stop_server" : "start_server", { id: server.id })),
    /** Begins to sign in; the server's Sign-in tab shows how it goes. */
    signIn: (id: number) => signing.begin(id),
    addDemo: () => attempt("add", () => call("add_demo_server", {})),
    remove: (server: ServerView) =>
      attempt("remove", async () => {
        await call("remove_server", { id: server.id });
        toast({
          text: t("removed", { name: visibleLine(server.name) }),
          action: { label: t("undo", { ns: "common" }), run: () => void restore(server.id) },
        });
      }),
  };
}

export type ServerActions = ReturnType<typeof useServerActions>;
