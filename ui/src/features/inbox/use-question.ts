// A question on screen: how it is answered, how long the answer is remembered, and what comes next.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import type { DecisionView } from "@/ipc/bindings/DecisionView";
import type { InteractionAnswer } from "@/ipc/bindings/InteractionAnswer";
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import type { Remember } from "@/ipc/bindings/Remember";
import { inbox } from "@/ipc/queries";
import { toast } from "@/lib/toasts";
import { visibleLine } from "@/lib/untrusted";
import type { Kind, QuestionProps } from "./kinds/kind";
import { useTakeBack } from "./take-back";
import { type Answering, useAnswering } from "./use-answering";

/** The equal questions, and whether one press answers all of them. */
interface TogetherAnswer {
  readonly views: readonly InteractionView[];
  readonly ids: readonly number[];
  readonly all: boolean;
  readonly setAll: (all: boolean) => void;
}

export interface Question extends Required<QuestionProps> {
  readonly kind: Kind;
  /** Whether answers are no longer accepted: the question is gone, was answered here, or is too late. */
  readonly over: boolean;
  readonly answering: Answering;
  readonly remember: Remember;
  readonly setRemember: (next: Remember) => void;
  readonly together: TogetherAnswer;
  /** `lasting`: how long it is remembered, instead of the choice. */
  readonly accept: (content: string | null, lasting?: Remember) => void;
  readonly decline: () => void;
  readonly cancel: () => void;
}

export function useQuestion(
  { kind, view, gone: left, onNext, onPutOff = () => undefined }: QuestionProps & { kind: Kind },
  step: string,
): Question {
  const { t } = useTranslation("inbox");
  const navigate = useNavigate();
  const { undo } = useTakeBack();
  const [remember, setRemember] = useState<Remember>("once");
  const [all, setAll] = useState(false);
  const others = (useQuery(inbox()).data?.waiting ?? []).filter(({ id }) => view.together.includes(id));
  const together = { views: others, ids: others.map(({ id }) => id), all: all && others.length > 1, setAll };
  // An opened URL stays until it is done.
  const stays = view.question.kind === "url" && !view.question.opened;
  /** Whether it was approved and waits until the host has carried it out. */
  const [approved, setApproved] = useState(false);
  const leave = useEffectEvent(() => {
    const { question } = view;
    // An error stays visible, with the note that the answer is no longer needed.
    if (question.kind !== "url" || question.problem !== null) return;
    toast({ text: t("gone.opened", { address: visibleLine(question.address.domain) }) });
    onNext();
  });
  useEffect(() => {
    if (left && approved) leave();
  }, [left, approved]);
  /** Announces the result of a remembered answer, with an undo button. */
  const announce = ({ action }: InteractionAnswer, { remembered }: DecisionView) => {
    if (remembered !== null) toast({ text: t(action === "accept" ? "done.allowed" : "done.refused"), undo: () => void undo(remembered) });
    // Declining a form or a URL mutes the server, which is visible.
    else if (view.question.kind !== "form" && view.question.kind !== "url") toast({ text: t("done.notRemembered") });
  };
  const answering = useAnswering({
    id: view.id,
    others: together.all ? together.ids.filter((other) => other !== view.id) : [],
    // A rule is created once and also applies to the others. Shared folders are remembered per server.
    othersRemember: view.question.kind === "roots" ? remember : "once",
    step,
    live: !left && (view.position === 0 || view.together.length > 0),
    stays,
    onDone: (answer, decision, missed) => {
      if (together.all && missed > 0) toast({ text: t("together.missed", { count: missed }), tone: "bad" });
      else if (kind.announce) kind.announce(answer, view.question, { t, navigate });
      else if (answer.action !== "cancel" && answer.remember !== "once") announce(answer, decision);
      if (stays && answer.action === "accept") setApproved(true);
      else onNext();
    },
  });
  // An answer ends the question before its reply, which says what remembers it.
  const gone = left && answering.busy === null;
  return {
    kind,
    view,
    gone,
    onNext,
    onPutOff,
    together,
    over: gone || answering.done || answering.late,
    answering,
    remember,
    setRemember,
    accept: (content, lasting) => void answering.send({ action: "accept", content, remember: lasting ?? remember }),
    decline: () => void answering.send({ action: "decline", remember }),
    cancel: () => void answering.send({ action: "cancel" }),
  };
}
