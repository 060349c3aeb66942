// Actions on a server, for all places of this screen. Failures show a message, and removal can be undone.
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { Commands } from "@/ipc/bindings/commands";
import { beginFirstSteps } from "@/lib/first-steps";
import { useSignIn } from "@/lib/sign-in";
import { betweenSentences } from "@/lib/sentence";
import { toast } from "@/lib/toasts";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";

/** Whether a server is running or starting, so that it can be stopped. */
export const running = (server: ServerView): boolean => server.state !== "stopped" && server.state !== "failed";

/** Whether a server is connected. */
export const answers = (server: ServerView): boolean =>
  server.state === "ready" || server.state === "degraded" || server.state === "waiting_for_you";

/** The failed action, by command. */
const verbs: { readonly [K in keyof Commands]?: "start" | "stop" | "restart" | "add" | "remove" | "restore" } = {
  start_server: "start",
  stop_server: "stop",
  restart_server: "restart",
  add_demo_server: "add",
  remove_server: "remove",
  restore_server: "restore",
};

/** The message for a failed command: the action, then the reason. */
export function useFailureText() {
  const { t, i18n } = useTranslation("servers");
  return (text: string, name: keyof Commands): string => {
    const verb = verbs[name];
    return verb === undefined ? text : `${t(`not.${verb}`)}${betweenSentences(i18n.language)}${text}`;
  };
}

export function useServerActions() {
  const { t } = useTranslation("servers");
  const signing = useSignIn();
  const { busy, run } = useCommand({ failure: useFailureText() });
  const removing = useRef(new Set<number>());
  return {
    busy,
    start: (id: number) => run("start_server", { id }),
    stop: (id: number) => run("stop_server", { id }),
    restart: (id: number) => run("restart_server", { id }),
    /** Lets a server that starts on first use sleep now. One that is used stays awake. */
    letSleep: (server: ServerView) =>
      run(
        "let_server_sleep",
        { id: server.id },
        {
          done: (sleeps) => {
            if (!sleeps) toast({ text: t("inUse", { name: visibleLine(server.name) }) });
          },
        },
      ),
    toggle: (server: ServerView) => run(running(server) ? "stop_server" : "start_server", { id: server.id }),
    /** Starts signing in. The server's Sign-in tab shows the progress. */
    signIn: (id: number) => signing.begin(id),
    addDemo: () => run("add_demo_server", {}, { done: ({ id }) => beginFirstSteps(id) }),
    /** `gone`: called after the removal. `back`: called after it was undone, if this screen is still open. */
    remove: async ({ id, name }: ServerView, gone?: () => void, back?: () => void) => {
      // A second press means the same.
      if (removing.current.has(id)) return;
      removing.current.add(id);
      const restore = async () => {
        if (await run("restore_server", { id })) back?.();
      };
      const done = () => {
        gone?.();
        toast({ text: t("removed", { name: visibleLine(name) }), undo: () => void restore() });
      };
      await run("remove_server", { id }, { done });
      removing.current.delete(id);
    },
  };
}

export type ServerActions = ReturnType<typeof useServerActions>;
