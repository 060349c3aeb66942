import type { ReactElement } from "react";
import { useTranslation } from "react-i18next";
import { Quoted } from "@/components/their-voice";
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";
import { leadIn } from "@/lib/lead-in";

/** A question in two or three words. */
export function Short({ question }: { question: InteractionQuestion }): ReactElement | string {
  const { t } = useTranslation("inbox");
  switch (question.kind) {
    case "tool":
      return (
        <>
          {t("short.tool")} <Quoted text={question.tool} />
        </>
      );
    case "app":
      return (
        <>
          {leadIn(t(question.isTerminal ? "short.terminal" : "short.app"))}
          <Quoted text={question.app} />
        </>
      );
    case "url":
      return (
        <>
          {leadIn(
            t(
              question.address.blocked !== null
                ? "short.blocked"
                : !question.opened
                  ? "short.url"
                  : question.problem === null
                    ? "short.opened"
                    : "short.failed",
            ),
          )}
          <Quoted text={question.address.domain || question.address.url} />
        </>
      );
    case "sampling_answer":
      return t(question.problem !== null ? "short.unanswered" : question.streaming ? "short.streaming" : "short.sampling_answer");
    case "form":
    case "sampling":
    case "roots":
      return t(`short.${question.kind}`);
  }
}
