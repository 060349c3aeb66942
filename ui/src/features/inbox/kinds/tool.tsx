import { Link, useNavigate } from "@tanstack/react-router";
import { Check, TriangleAlert, Wrench } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import { Quoted, QuotedName, UntrustedText } from "@/components/their-voice";
import { toolClaims } from "@/components/tool-claims";
import { callerOf, callingAppId } from "@/lib/callers";
import { besideQuotes } from "@/lib/lead-in";
import { betweenSentences, wholeSentence } from "@/lib/sentence";
import { riskMarks, useRisks } from "../risks";
import { useQuestion } from "../use-question";
import { AnswerBar } from "../detail/answer-bar";
import { Arguments } from "../detail/arguments";
import { QuestionFrame } from "../detail/frame";
import { KeylessNotice } from "../detail/keyless-notice";
import { Part } from "../detail/part";
import { declineWord, RememberChoice } from "../detail/remember";
import { RiskNotice } from "../detail/risk-notice";
import { contentOf, NARROW, ScopeChoice, useScopeSentence } from "../detail/scope";
import { TheirWords } from "../detail/their-words";
import type { DetailProps, Kind } from "./kind";

/** A link to the rule that asks. */
function RuleLink({ rule }: { rule: number }) {
  const { t } = useTranslation("inbox");
  return (
    <Link
      to="/policies"
      search={{ rule }}
      preload={false}
      className="rounded-xs font-medium whitespace-nowrap text-accent no-underline hover:underline"
    >
      {t("tool.toRule")}
    </Link>
  );
}

/** Asks whether a tool may run. */
function ToolDetail({ asked, ...props }: DetailProps<"tool">) {
  const { t, i18n } = useTranslation(["inbox", "common"]);
  const navigate = useNavigate();
  const { risks, changed } = useRisks(props.view);
  // A changed tool is reviewed separately.
  const question = useQuestion(changed === null ? props : { ...props, view: { ...props.view, together: [] } }, "tool");
  const { server, serverName, occasion } = props.view;
  const { remember } = question;
  const [scope, setScope] = useState(NARROW);
  const chosen = { view: props.view, tool: asked.tool, scopes: asked.scopes, scope };
  const ruleOf = useScopeSentence(chosen);
  const [worst] = risks;
  const mark = worst === undefined ? null : riskMarks[worst];
  const review = () => void navigate({ to: "/servers", search: { id: server, tab: "trust", review: asked.tool } });
  // The arguments of a local server stay on this computer at first. What the program does with them is unknown.
  const leaves = t(props.view.transport === "stdio" ? "handed" : "leaves");
  const own = occasion.caller === "workbench";
  const ruleLink = asked.rule === null ? null : <RuleLink rule={asked.rule} />;
  const title = asked.title ?? "";
  const description = asked.description ?? "";
  const claims = toolClaims(asked.hints);
  return (
    <QuestionFrame
      question={question}
      kicker={t("kicker.tool")}
      title={
        changed !== null ? (
          <>
            <Quoted text={asked.tool} />
            {besideQuotes(i18n.language)}
            {t("title.tool.changed")}
          </>
        ) : (
          <>
            {t(callerOf(occasion.caller) === "sampling" ? "title.tool.byModel" : "title.tool.before")} <Quoted text={asked.tool} />
            {besideQuotes(i18n.language)}
            {t("title.tool.between")}
            {besideQuotes(i18n.language)}
            <QuotedName text={serverName} />
            {t("title.tool.after")}
          </>
        )
      }
      // For the person's own call, "Why now" has the reason, because only a rule can ask.
      lead={
        !own && (
          <>
            {t("tool.asks", { why: wholeSentence(asked.reason, i18n.language, false) })}
            {ruleLink !== null && betweenSentences(i18n.language)}
            {ruleLink}
          </>
        )
      }
      whyLink={own && ruleLink}
      bar={
        <AnswerBar
          question={question}
          // The changed tool isn't the one that would be allowed.
          yes={
            changed === null
              ? {
                  label: t(`answer.tool.${asked.keyless ? "once" : remember}`),
                  icon: mark?.icon ?? Check,
                  onPress: () => question.accept(remember === "once" ? null : contentOf(scope), asked.keyless ? "once" : undefined),
                  ...(mark && { danger: mark.tone }),
                }
              : { label: t("risk.changed.review"), icon: riskMarks.changed.icon, onPress: review, leads: true }
          }
          // There is nothing left to decline.
          declineLabel={changed === null ? declineWord(remember, t) : null}
          cancelLabel={t("answer.cancelCall")}
          cancelHint={t("cancelling.call")}
          note={asked.reviewed && changed === null ? t("tool.reviewed") : undefined}
        />
      }
    >
      <RiskNotice server={serverName} risks={risks} changed={changed} onReview={review} />
      {asked.keyless && <KeylessNotice app={callingAppId(occasion.caller) ?? ""} />}
      <Part title={leaves}>
        <Arguments label={leaves} text={asked.arguments} />
      </Part>
      {/* The changes are above, with the old values. */}
      {changed === null && (
        <TheirWords server={serverName} says={t("says.tool")} none={t("says.nothing")} claims={claims}>
          {title === "" && description === "" ? null : (
            <>
              {title !== "" && (
                <b className="block">
                  <UntrustedText text={title} />
                </b>
              )}
              <UntrustedText text={description} />
            </>
          )}
        </TheirWords>
      )}
      {asked.cut && changed === null && (
        <p className="m-0 mt-2 flex gap-2">
          <Icon of={TriangleAlert} className="mt-0.75 shrink-0 text-warn" />
          <span className="min-w-0">{t("tool.cut")}</span>
        </p>
      )}
      {claims === null && changed === null && <p className="m-0 mt-2 text-sm text-fg-3">{t("tool.noClaims")}</p>}
      {changed === null && (
        <RememberChoice question={question} kind="tool" managed="policies" denyOnly={asked.keyless} acceptedTool={ruleOf}>
          {!asked.keyless && <ScopeChoice {...chosen} onChoose={setScope} disabled={question.over} />}
        </RememberChoice>
      )}
    </QuestionFrame>
  );
}

export const tool: Kind<"tool"> = {
  role: "runsOn",
  mark: () => ({ icon: Wrench, colour: "text-wait" }),
  short: ({ tool }, t) => (
    <>
      {t("short.tool")} <Quoted text={tool} />
    </>
  ),
  Detail: ToolDetail,
};
