import { Link } from "@tanstack/react-router";
import { Check } from "lucide-react";
import { useTranslation } from "react-i18next";
import { QuotedName } from "@/components/their-voice";
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";
import { besideQuotes } from "@/lib/lead-in";
import { betweenSentences } from "@/lib/sentence";
import { type DetailProps, useQuestion } from "../use-question";
import { AnswerBar } from "./answer-bar";
import { QuestionFrame } from "./frame";
import { Part } from "./part";

/** Whether an app without a key may use the servers at all. The answer is remembered by itself: Apps has it. */
export function AppDetail({ asked, ...props }: DetailProps & { asked: Extract<InteractionQuestion, { kind: "app" }> }) {
  const { t, i18n } = useTranslation("inbox");
  const question = useQuestion(props, "app");
  const beside = besideQuotes(i18n.language);
  return (
    <QuestionFrame
      question={question}
      kicker={t("kicker.app")}
      title={
        <>
          <QuotedName text={asked.app} />
          {beside}
          {t("title.app")}
        </>
      }
      // A name proves nothing: the program that connects chooses it.
      lead={
        <>
          {t("app.claimBefore")}
          {beside}
          <QuotedName text={asked.app} />
          {t("app.claimAfter")}
        </>
      }
      bar={
        <AnswerBar
          question={question}
          yes={{ label: t("answer.app.allow"), icon: Check, onPress: () => question.accept(null) }}
          declineLabel={t("answer.app.decline")}
        />
      }
    >
      <Part title={t("app.means")}>
        <p className="m-0 text-fg-2">
          {t("app.asks")}
          {betweenSentences(i18n.language)}
          <Link to="/apps" preload={false} className="rounded-xs font-medium whitespace-nowrap text-accent no-underline hover:underline">
            {t("app.toApps")}
          </Link>
        </p>
      </Part>
    </QuestionFrame>
  );
}
