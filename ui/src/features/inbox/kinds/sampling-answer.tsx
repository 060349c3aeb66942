import { Link } from "@tanstack/react-router";
import { CircleX, Forward, LoaderCircle, MessageSquareQuote, Pencil, RotateCcw, Sparkles } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ErrorNotice } from "@/components/error-notice";
import { FactLine } from "@/components/fact-line";
import { Icon } from "@/components/icon";
import { QuotedName, TheirVoice } from "@/components/their-voice";
import { formatCount } from "@/lib/format";
import { besideQuotes } from "@/lib/lead-in";
import { wholeSentence } from "@/lib/sentence";
import { visibleLine } from "@/lib/untrusted";
import { AnswerBar } from "../detail/answer-bar";
import { QuestionFrame } from "../detail/frame";
import { Part } from "../detail/part";
import { declineWord, RememberChoice } from "../detail/remember";
import { useDraft } from "../use-draft";
import { useQuestion } from "../use-question";
import { BlockView } from "../sampling/block-view";
import { answerFrom, draftOfAnswer } from "../sampling/drafts";
import { dollars } from "../sampling/money";
import { useSpent } from "../sampling/spent";
import type { DetailProps, Kind } from "./kind";

const stops = ["endTurn", "maxTokens", "stopSequence", "toolUse", "refusal"] as const;

/** The second review: the model's answer, before the server gets it. */
function AnswerDetail({ asked, ...props }: DetailProps<"sampling_answer">) {
  const { t, i18n } = useTranslation(["inbox", "common"]);
  const { streaming, problem, model, providerName, usage, stopReason } = asked;
  // The shared text must not change for a second, so the second begins when the model is done.
  const question = useQuestion(props, streaming ? "streaming" : problem === null ? "answer" : "problem");
  const [edited, setEdited] = useState<readonly string[] | null>(() => answerFrom(asked.content, props.view.draft));
  const [editing, setEditing] = useState(false);
  const { serverName } = props.view;
  const content = edited ?? asked.content;
  const disabled = streaming || problem !== null || question.over;
  const spent = useSpent(problem, props.view.server);
  useDraft(props.view.id, draftOfAnswer(asked.content, edited), !disabled);
  const { remember } = question;
  const stop = stops.find((known) => known === stopReason);
  return (
    <QuestionFrame
      question={question}
      kicker={t("kicker.sampling_answer")}
      title={
        <>
          {t(problem === null ? "title.answer.before" : "title.answerless")}
          {besideQuotes(i18n.language)}
          <QuotedName text={serverName} />
          {problem === null && t("title.answer.after")}
        </>
      }
      lead={problem === null && t("sampling.answerAbout")}
      bar={
        <AnswerBar
          question={question}
          entered={edited !== null}
          yes={
            problem === null
              ? {
                  label: t(remember === "once" ? "answer.handOver" : `answer.sampling_answer.${remember}`),
                  icon: Forward,
                  enabled: !streaming && asked.content.length > 0,
                  onPress: () => question.accept(edited === null ? null : `{"content":[${edited.join(",")}]}`),
                }
              : null
          }
          declineLabel={remember === "always" ? t("answer.neverHandOver") : declineWord(remember, t)}
          note={streaming ? t("sampling.stillSpeaking") : undefined}
        />
      }
    >
      <Part
        title={t(streaming || problem !== null ? "sampling.answer" : "sampling.gets")}
        after={
          <>
            {edited !== null && (
              <Button look="ghost" icon={RotateCcw} disabled={disabled} onClick={() => setEdited(null)}>
                {t("sampling.reset")}
              </Button>
            )}
            {!streaming && problem === null && content.length > 0 && (
              <Button look="ghost" icon={Pencil} disabled={disabled} aria-pressed={editing} onClick={() => setEditing(!editing)}>
                {t(editing ? "sampling.editDone" : "sampling.edit")}
              </Button>
            )}
          </>
        }
      >
        {problem === null && content.length === 0 ? (
          !streaming && <p className="m-0 text-fg-2">{t("sampling.empty")}</p>
        ) : problem === null ? (
          <>
            <TheirVoice
              server={model}
              icon={Sparkles}
              says={t(streaming ? "says.answering" : edited === null ? "says.answer" : "says.answerEdited")}
              whole
              className="mt-3"
            >
              <div className="flex flex-col gap-3 whitespace-normal">
                {content.map((raw, at) => (
                  <BlockView
                    key={at}
                    raw={raw}
                    label={t("sampling.answer")}
                    onChange={editing && !disabled ? (next) => setEdited(content.with(at, next)) : undefined}
                  />
                ))}
              </div>
            </TheirVoice>
            <p className="m-0 mt-1 text-sm text-balance text-fg-3">{t(edited === null ? "sampling.fooled" : "sampling.fooledEdited")}</p>
          </>
        ) : (
          <ErrorNotice
            title={t("sampling.problem")}
            why={wholeSentence(problem, i18n.language)}
            next={t(spent ? "sampling.spentNext" : "sampling.problemNext")}
          >
            {spent ? (
              <Link to="/models" preload={false} className="rounded-xs font-medium text-accent no-underline hover:underline">
                {t("sampling.toModels")}
              </Link>
            ) : (
              <Button
                icon={RotateCcw}
                busy={question.answering.busy === "retry"}
                disabled={question.answering.busy !== null}
                arming={!question.answering.armed && question.answering.busy === null}
                onClick={() => void question.answering.retry()}
              >
                {t("common:tryAgain")}
              </Button>
            )}
          </ErrorNotice>
        )}
        <p role="status" className="m-0 mt-3 flex items-center gap-1.5 text-fg-2 tabular">
          {streaming && <Icon of={LoaderCircle} className="shrink-0 animate-spin text-info" />}
          <span className="min-w-0 wrap-any">
            <FactLine
              facts={[
                problem === null ? null : visibleLine(model),
                t(streaming ? "sampling.speaks" : "sampling.spoke", {
                  provider: providerName === "" ? t("sampling.practice") : providerName,
                }),
                stop === undefined ? null : t(`sampling.stop.${stop}`),
                usage === null
                  ? null
                  : t("sampling.usage", {
                      read: formatCount(usage.inputTokens, i18n.language),
                      written: formatCount(usage.outputTokens, i18n.language),
                    }),
                usage?.cost == null ? null : dollars(usage.cost, i18n.language),
              ].filter((part) => part !== null)}
            />
          </span>
        </p>
      </Part>
      {!streaming && problem === null && <RememberChoice question={question} kind="sampling_answer" managed="models" />}
    </QuestionFrame>
  );
}

export const samplingAnswer: Kind<"sampling_answer"> = {
  role: "server",
  mark: ({ problem }) => (problem === null ? { icon: MessageSquareQuote, colour: "text-info" } : { icon: CircleX, colour: "text-bad" }),
  short: ({ problem, streaming }, t) => t(problem !== null ? "short.unanswered" : streaming ? "short.streaming" : "short.sampling_answer"),
  Detail: AnswerDetail,
};
