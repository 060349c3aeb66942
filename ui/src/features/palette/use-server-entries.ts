// Actions on a server: first what its state needs, last what interrupts it.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import {
  Activity,
  CircleStop,
  FileDiff,
  FlaskConical,
  KeyRound,
  LockKeyholeOpen,
  type LucideIcon,
  MessageSquareReply,
  PencilLine,
  Play,
  RotateCw,
  SlidersHorizontal,
} from "lucide-react";
import { useTranslation } from "react-i18next";
import { focusPanel } from "@/features/servers/focus";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { inbox } from "@/ipc/queries";
import { enterScreen } from "@/lib/enter-screen";
import { showOverlay } from "@/lib/overlays";
import { shownState } from "@/lib/server-state";
import { useSignIn } from "@/lib/sign-in";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";
import type { Entry } from "./entry";

type Verb = "start" | "stop" | "restart" | "activity" | "signIn" | "signInTab" | "settings" | "workbench";
type Next = "answer" | "review" | "enter" | "unlock";

/** The entries of a server: the server with its actions, and those found by its name. */
export function useServerEntries(): (server: ServerView) => Entry[] {
  const { t } = useTranslation(["palette", "common"]);
  const navigate = useNavigate();
  const { run } = useCommand();
  const signing = useSignIn();
  const nextOf = useNext();

  return (server) => {
    const { id, state } = server;
    const name = visibleLine(server.name);
    const verb = (of: Verb, icon: LucideIcon, act: () => void): Entry => ({
      id: `server:${id}:${of}`,
      group: "server",
      title: t(`server.${of}`, { name }),
      insideTitle: t(`server.inside.${of}`),
      also: [of, name],
      icon,
      run: act,
    });
    const isDown = state === "stopped" || state === "failed";
    const rests = isDown || state === "asleep";
    const start = verb("start", Play, () => void run("start_server", { id }));
    const interrupting = [
      verb("restart", RotateCw, () => void run("restart_server", { id })),
      verb("stop", CircleStop, () => void run("stop_server", { id })),
    ];
    const signIn = verb("signIn", KeyRound, () => {
      void navigate({ to: "/servers", search: { id, tab: "sign_in" } });
      void signing.begin(id);
    });
    const accounts = verb("signInTab", KeyRound, () => void navigate({ to: "/servers", search: { id, tab: "sign_in" } }));
    const needsSignIn = state === "sign_in_needed";
    const activity = verb("activity", Activity, () => void navigate({ to: "/activity", search: { serverId: id } }));
    const workbench = verb("workbench", FlaskConical, () => void navigate({ to: "/workbench", search: { server: id } }).then(enterScreen));
    const settings = verb("settings", SlidersHorizontal, () => {
      void navigate({ to: "/servers", search: { id, tab: "settings" } });
      focusPanel();
    });

    const first = [...nextOf(server), ...(needsSignIn ? [signIn] : []), ...(rests ? [start] : [])];
    const more = [workbench, activity, settings, ...(server.transport === "http" && !needsSignIn ? [accounts] : [])];
    const last = isDown ? [] : interrupting;
    const open: Entry = {
      id: `server:${id}:open`,
      group: "server",
      title: name,
      subtitle: t(`common:state.${shownState(server)}`),
      also: [t("also.server")],
      icon: shownState(server),
      offered: true,
      inside: [...first, ...more, ...last],
      run: () => void navigate({ to: "/servers", search: { id, page: true } }),
    };
    const found = [
      ...(isDown ? [start] : interrupting),
      ...(server.transport === "http" ? [needsSignIn ? signIn : accounts] : []),
      activity,
    ];
    return [open, ...found];
  };
}

/** What its state needs from the person, except signing in. */
function useNext(): (server: ServerView) => Entry[] {
  const { t } = useTranslation(["palette", "common"]);
  const navigate = useNavigate();
  const { data } = useQuery(inbox());
  return (server) => {
    const { id } = server;
    const next = (of: Next, title: string, icon: LucideIcon, act: () => void): Entry[] => [
      { id: `server:${id}:${of}`, group: "server", title, also: [of], icon, run: act },
    ];
    switch (shownState(server)) {
      case "waiting_for_you": {
        const question = data?.waiting.find((view) => view.server === id);
        return next("answer", t("server.inside.answer"), MessageSquareReply, () => {
          void navigate({ to: "/inbox", search: question === undefined ? {} : { id: question.id } }).then(enterScreen);
        });
      }
      case "changed":
        return next("review", t("common:goTo.review"), FileDiff, () => {
          void navigate({ to: "/servers", search: { id, tab: "trust", review: true } });
        });
      case "value_missing":
        return next("enter", t("common:goTo.enter"), PencilLine, () => {
          void navigate({ to: "/servers", search: { id, tab: "settings" } });
          focusPanel();
        });
      case "locked":
        return next("unlock", t("common:goTo.unlock"), LockKeyholeOpen, () => showOverlay("vault"));
      default:
        return [];
    }
  };
}
