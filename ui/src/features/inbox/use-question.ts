// One question on screen: how it is answered, for how long the answer is to be remembered, and what comes after it.
import { useEffect, useEffectEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import type { DecisionView } from "@/ipc/bindings/DecisionView";
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import type { Remember } from "@/ipc/bindings/Remember";
import type { RememberedBy } from "@/ipc/bindings/RememberedBy";
import { call } from "@/ipc/bridge";
import { toast } from "@/lib/toasts";
import { visibleLine } from "@/lib/untrusted";
import { useTakeBack } from "./take-back";
import { type Answering, useAnswering } from "./use-answering";

/** What every kind of detail gets. */
export interface DetailProps {
  readonly view: InteractionView;
  /** Nobody waits for the answer any more. */
  readonly gone: boolean;
  /** Goes on to the next question. */
  readonly onNext: () => void;
}

export interface Question extends DetailProps {
  /** No answer is taken any more: the question is gone, it was answered here, or the host says that nobody waits. */
  readonly over: boolean;
  readonly answering: Answering;
  readonly remember: Remember;
  readonly setRemember: (next: Remember) => void;
  readonly accept: (content: string | null) => void;
  readonly decline: () => void;
  readonly cancel: () => void;
}

/** The host keeps what remembers an answer a moment after it. */
const WRITTEN_MS = 600;

/** What remembers an answer; null where nothing was kept. */
async function rememberedBy({ id, remembered }: DecisionView): Promise<RememberedBy | null> {
  if (remembered !== null) return remembered;
  await new Promise((done) => {
    setTimeout(done, WRITTEN_MS);
  });
  try {
    return (await call("list_decisions", { limit: 10 })).find((item) => item.id === id)?.remembered ?? null;
  } catch {
    return null; // the list of decisions says so itself
  }
}

export function useQuestion({ view, gone, onNext }: DetailProps, step: string): Question {
  const { t } = useTranslation("inbox");
  const { undo } = useTakeBack();
  const [remember, setRemember] = useState<Remember>("once");
  // An address that was opened waits on until it is said to be done.
  const stays = view.question.kind === "url" && !view.question.opened;
  /** It was approved, and goes on waiting until the host has done what that means. */
  const [approved, setApproved] = useState(false);
  const leave = useEffectEvent(() => {
    const { question } = view;
    // What went wrong stays in sight, with the word that nobody waits any more.
    if (question.kind !== "url" || question.problem !== null) return;
    toast({ text: t("gone.opened", { address: visibleLine(question.address.domain) }) });
    onNext();
  });
  useEffect(() => {
    if (gone && approved) leave();
  }, [gone, approved]);
  const answering = useAnswering({
    id: view.id,
    step,
    live: !gone && view.position === 0,
    stays,
    onDone: (answer, decision) => {
      if (answer.action !== "cancel" && answer.remember !== "once")
        void rememberedBy(decision).then(
          (remembered) =>
            remembered !== null &&
            toast({
              text: t(answer.action === "accept" ? "done.allowed" : "done.refused"),
              action: { label: t("done.undo"), run: () => void undo(remembered) },
            }),
        );
      if (stays && answer.action === "accept") setApproved(true);
      else onNext();
    },
  });
  return {
    view,
    gone,
    onNext,
    over: gone || answering.done || answering.late,
    answering,
    remember,
    setRemember,
    accept: (content) => void answering.send({ action: "accept", content, remember }),
    decline: () => void answering.send({ action: "decline", remember }),
    cancel: () => void answering.send({ action: "cancel" }),
  };
}
