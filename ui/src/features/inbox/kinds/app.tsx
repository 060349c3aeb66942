import { Link } from "@tanstack/react-router";
import { AppWindow, Check } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Quoted, QuotedName } from "@/components/their-voice";
import { besideQuotes, leadIn } from "@/lib/lead-in";
import { betweenSentences } from "@/lib/sentence";
import { toast } from "@/lib/toasts";
import { visibleLine } from "@/lib/untrusted";
import { useQuestion } from "../use-question";
import { AnswerBar } from "../detail/answer-bar";
import { QuestionFrame } from "../detail/frame";
import { Part } from "../detail/part";
import type { DetailProps, Kind } from "./kind";

/** Whether an app without a key may use the servers at all. The answer is always remembered, and shown under Apps. */
function AppDetail({ asked, ...props }: DetailProps<"app">) {
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
      // A name proves nothing, because the connecting program chooses it.
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

export const app: Kind<"app"> = {
  role: "firstCall",
  mark: () => ({ icon: AppWindow, colour: "text-wait" }),
  short: ({ app }, t) => (
    <>
      {leadIn(t("short.app"))}
      <Quoted text={app} />
    </>
  ),
  Detail: AppDetail,
  // It is listed under Apps, where it can be undone.
  announce: ({ action }, { app }, { t, navigate }) => {
    if (action !== "accept") return;
    toast({
      text: t("done.app", { app: visibleLine(app) }),
      action: { label: t("done.toApps"), run: () => void navigate({ to: "/apps", search: { id: app, open: true } }) },
    });
  },
};
