import { useQuery } from "@tanstack/react-query";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import { inbox } from "@/ipc/queries";
import { shownInPlace } from "@/lib/answer-place";
import { questionWords } from "@/lib/question-words";
import { dismissToast, toast } from "@/lib/toasts";

/** Announces a new question with a message on every other screen. The message only opens the question. */
export function Arrivals() {
  const { t } = useTranslation("inbox");
  const navigate = useNavigate();
  const here = useRouterState({ select: (state) => state.location.pathname });
  const { data } = useQuery(inbox());
  /** The questions at the last check, or null before it. */
  const known = useRef<ReadonlySet<number> | null>(null);
  /** The message on screen, if it is still there. */
  const said = useRef<number | null>(null);
  const say = useEffectEvent((fresh: readonly InteractionView[]) => {
    // A question that is visible needs no message.
    const first = fresh.find((item) => !shownInPlace.has(item.id));
    // The rail shows the questions from the window's start. A message is for later ones.
    if (here === "/inbox" || first === undefined) return;
    said.current = toast({
      text: questionWords(first, t),
      action: { label: t("arrived.open"), run: () => void navigate({ to: "/inbox", search: { id: first.id } }) },
    });
  });
  useEffect(() => {
    if (!data) return;
    const before = known.current;
    // A question that was put off is new again when it comes back.
    const waiting = data.waiting.filter((item) => item.putOff === null);
    known.current = new Set(waiting.map((item) => item.id));
    if (before !== null) say(waiting.filter((item) => item.position === 0 && !before.has(item.id)));
  }, [data]);
  useEffect(() => {
    // On the Inbox the message isn't needed, and it would cover the answers.
    if (here !== "/inbox" || said.current === null) return;
    dismissToast(said.current);
    said.current = null;
  }, [here]);
  return null;
}
