import { useQuery } from "@tanstack/react-query";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import { inbox } from "@/ipc/queries";
import { shownInPlace } from "@/lib/answer-place";
import { questionWords } from "@/lib/question-words";
import { dismissToast, toast } from "@/lib/toasts";

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
  const say = useEffectEvent((fresh: readonly InteractionView[]) => {
    // What is in sight needs no message.
    const first = fresh.find((item) => !shownInPlace.has(item.id));
    // What waits when the window opens stands in the rail; a message is for what comes later.
    if (here === "/inbox" || first === undefined) return;
    said.current = toast({
      text: questionWords(first, t),
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
