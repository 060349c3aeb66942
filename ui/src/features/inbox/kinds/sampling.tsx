import { Link } from "@tanstack/react-router";
import { Pencil, RotateCcw, Sparkles } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Input } from "@/components/input";
import { QuotedName, TheirVoice } from "@/components/their-voice";
import { besideQuotes, leadIn } from "@/lib/lead-in";
import { AnswerBar } from "../detail/answer-bar";
import { QuestionFrame } from "../detail/frame";
import { Part } from "../detail/part";
import { declineWord, RememberChoice } from "../detail/remember";
import { TheirsNote } from "../detail/theirs-note";
import { useDraft } from "../use-draft";
import { useQuestion } from "../use-question";
import { useBudget } from "../sampling/budget";
import { Conversation } from "../sampling/conversation";
import { draftOfRequest, requestFrom } from "../sampling/drafts";
import { isEdited, isReworded, samplingContent, tokensOf, unedited } from "../sampling/edits";
import { RequestDetails, RequestFacts } from "../sampling/request-facts";
import { RouteChoice } from "../sampling/route-choice";
import { ToolOffers } from "../sampling/tool-offers";
import type { DetailProps, Kind } from "./kind";

/** The first review: what a server sends to a model, and to which one. */
function SamplingDetail({ asked, ...props }: DetailProps<"sampling">) {
  const { t, i18n } = useTranslation("inbox");
  const question = useQuestion(props, "sampling");
  const [edits, setEdits] = useState(() => requestFrom(asked, props.view.draft));
  const [editing, setEditing] = useState(false);
  const { serverName } = props.view;
  const { remember } = question;
  const edited = isEdited(asked, edits);
  const reworded = isReworded(asked, edits);
  const tokens = tokensOf(edits.maxTokens);
  const disabled = question.over;
  const budget = useBudget(asked, props.view.server, edits.route, edited);
  useDraft(props.view.id, draftOfRequest(asked, edits), !disabled);
  return (
    <QuestionFrame
      question={question}
      kicker={t("kicker.sampling")}
      title={
        <>
          {t("title.sampling.before")}
          {besideQuotes(i18n.language)}
          <QuotedName text={serverName} />
          {besideQuotes(i18n.language)}
          {t("title.sampling.after")}
        </>
      }
      bar={
        <AnswerBar
          question={question}
          yes={{
            label: t(`answer.sampling.${remember}`),
            icon: Sparkles,
            enabled: edits.route !== null && tokens !== null && !budget.short,
            onPress: () => question.accept(samplingContent(asked, edits)),
          }}
          declineLabel={declineWord(remember, t)}
          entered={edited}
          note={
            edits.route === null ? undefined : budget.short ? (
              <>
                {leadIn(t("sampling.budgetShort"))}
                <Link to="/models" preload={false} className="rounded-xs font-medium text-accent no-underline hover:underline">
                  {t("sampling.toModels")}
                </Link>
              </>
            ) : (
              t(tokens === null ? "sampling.tokensNote" : "sampling.secondGate")
            )
          }
        />
      }
    >
      <RouteChoice review={asked} route={edits.route} disabled={disabled} onChange={(route) => setEdits({ ...edits, route })}>
        <RequestFacts review={asked} budget={budget.left} short={budget.short}>
          {editing && !disabled ? (
            <>
              <span className="flex items-center gap-2">
                <Input
                  aria-label={t("fact.maxTokens")}
                  aria-invalid={tokens === null || undefined}
                  aria-describedby={tokens === null ? "max-tokens-mistake max-tokens-unit" : "max-tokens-unit"}
                  inputMode="numeric"
                  value={edits.maxTokens}
                  onChange={(event) => setEdits({ ...edits, maxTokens: event.currentTarget.value })}
                  className="max-w-30"
                />
                <span id="max-tokens-unit">{t("sampling.tokensUnit")}</span>
              </span>
              {tokens === null && (
                <p id="max-tokens-mistake" role="alert" className="m-0 mt-1 text-sm text-bad">
                  {t("sampling.tokensMistake")}
                </p>
              )}
            </>
          ) : tokens === null ? (
            <span className="text-bad">
              {edits.maxTokens === "" ? t("sampling.tokensMistake") : `${edits.maxTokens} · ${t("sampling.tokensMistake")}`}
            </span>
          ) : (
            t("sampling.tokensOf", { count: tokens })
          )}
        </RequestFacts>
      </RouteChoice>
      <Part
        title={t(edits.route?.host === null ? "sampling.reads" : "leaves")}
        after={
          <>
            {edited && (
              <Button
                look="ghost"
                icon={RotateCcw}
                disabled={disabled}
                onClick={() => setEdits({ ...unedited(asked), route: edits.route })}
              >
                {t("sampling.reset")}
              </Button>
            )}
            <Button look="ghost" icon={Pencil} disabled={disabled} aria-pressed={editing} onClick={() => setEditing(!editing)}>
              {t(editing ? "sampling.editDone" : "sampling.edit")}
            </Button>
          </>
        }
      >
        <TheirVoice server={serverName} says={t(reworded ? "says.edited" : "says.sampling")} whole className="mt-3">
          <Conversation edits={edits} editing={editing && !disabled} onChange={setEdits} />
        </TheirVoice>
        <TheirsNote edited={reworded} />
        <ToolOffers tools={asked.tools} choice={asked.toolChoice} />
      </Part>
      <RequestDetails review={asked} />
      <RememberChoice question={question} kind="sampling" managed="models" />
    </QuestionFrame>
  );
}

export const sampling: Kind<"sampling"> = {
  role: "server",
  mark: () => ({ icon: Sparkles, colour: "text-info" }),
  short: (_, t) => t("short.sampling"),
  Detail: SamplingDetail,
};
