import { useQuery } from "@tanstack/react-query";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import { inbox } from "@/ipc/queries";
import { shownInPlace } from "@/lib/answer-place";
import { callerOf, callingApp } from "@/lib/callers";
import { dismissToast, toast } from "@/lib/toasts";
import { visibleLine } from "@/lib/untrusted";

/** Says on every other screen that something is asked, and by whom. The message leads to the question and answers nothing. */
export function Arrivals() {
  const { t } = useTranslation("inbox");
  const navigate = useNavigate();
  const here = useRouterState({ select: (state) => state.location.pathname });
  const { data } = useQuery(inbox());
  /** The questions that were there when somebody last looked; null before the first look. */
  const known = useRef<ReadonlySet<number> | null>(null);
  /** The message that is on screen, if it still is. */
  const said = useRef<number | null>(null);
  /** Who wants what. */
  const words = ({ question, serverName, occasion }: InteractionView): string => {
    const server = visibleLine(serverName);
    switch (question.kind) {
      case "tool": {
        const app = callingApp(occasion.caller);
        const by = app === null ? (callerOf(occasion.caller) ?? "other") : question.keyless ? "keyless" : "app";
        return t(`arrived.call.${by}`, { app, tool: visibleLine(question.tool), server });
      }
      case "app":
        return t("arrived.named.app", { app: visibleLine(question.app), server });
      case "url":
        return t("arrived.named.url", { address: visibleLine(question.address.domain || question.address.url), server });
      case "sampling":
        // The practice model has no name.
        return question.route?.model.trim()
          ? t("arrived.named.sampling", { model: visibleLine(question.route.model), server })
          : t("arrived.sampling", { server });
      default:
        return t(`arrived.${question.kind}`, { server });
    }
  };
  const say = useEffectEvent((fresh: readonly InteractionView[]) => {
    // What is in sight needs no message.
    const first = fresh.find((item) => !shownInPlace.has(item.id));
    // What waits when the window opens stands in the rail; a message is for what comes later.
    if (here === "/inbox" || first === undefined) return;
    said.current = toast({
      text: words(first),
      action: { label: t("arrived.open"), run: () => void navigate({ to: "/inbox", search: { id: first.id } }) },
    });
  });
  useEffect(() => {
    if (!data) return;
    const before = known.current;
    // What was put off is news again when it comes back.
    const waiting = data.waiting.filter((item) => item.putOff === null);
    known.current = new Set(waiting.map((item) => item.id));
    if (before !== null) say(waiting.filter((item) => item.position === 0 && !before.has(item.id)));
  }, [data]);
  useEffect(() => {
    // Whoever is there needs no way to it, least of all one that lies over the answers.
    if (here !== "/inbox" || said.current === null) return;
    dismissToast(said.current);
    said.current = null;
  }, [here]);
  return null;
}
