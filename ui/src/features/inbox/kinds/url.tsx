import { Check, ExternalLink, Hourglass, Link2, RotateCcw, ShieldX, TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Address, AddressSigns } from "@/components/address";
import { Button } from "@/components/button";
import { CopyButton } from "@/components/code-block";
import { ErrorNotice } from "@/components/error-notice";
import { Icon } from "@/components/icon";
import { Said } from "@/components/said";
import { Quoted, QuotedName } from "@/components/their-voice";
import { besideQuotes, leadIn } from "@/lib/lead-in";
import { useQuestion } from "../use-question";
import { AnswerBar } from "../detail/answer-bar";
import { QuestionFrame } from "../detail/frame";
import { Part } from "../detail/part";
import { TheirWords } from "../detail/their-words";
import type { DetailProps, Kind } from "./kind";

/** A URL that a server wants to open, before anything loads it. */
function UrlDetail({ asked, ...props }: DetailProps<"url">) {
  const { t, i18n } = useTranslation("inbox");
  const question = useQuestion(props, asked.opened ? "opened" : "closed");
  const { address, message, opened, problem } = asked;
  const { over } = question;
  const { armed, busy, done, retry } = question.answering;
  const { serverName } = props.view;
  /** Opening it failed. */
  const failed = opened && problem !== null;
  return (
    <QuestionFrame
      question={question}
      kicker={t("kicker.url")}
      title={
        opened || address.blocked !== null ? (
          <>
            {t(address.blocked !== null ? "title.url.blocked" : problem === null ? "title.url.opened" : "title.url.failed")}{" "}
            <Quoted text={address.domain || address.url} />
          </>
        ) : (
          <>
            {t("title.url.before")} <Quoted text={address.domain} />
            {t("title.url.after")}
          </>
        )
      }
      bar={
        <AnswerBar
          question={question}
          yes={
            address.blocked === null
              ? {
                  label: t(failed ? "answer.openAgain" : opened ? "answer.isDone" : address.misleads ? "answer.openAnyway" : "answer.open"),
                  icon: failed ? RotateCcw : opened ? Check : ExternalLink,
                  onPress: () => (failed ? void retry() : question.accept(null)),
                  ...(address.misleads && !opened && { danger: "bad" as const, unsafe: true }),
                }
              : null
          }
          note={
            address.blocked !== null
              ? t("url.neverOpened")
              : !opened
                ? t("url.notFetched")
                : problem === null
                  ? t("url.opensOnce")
                  : undefined
          }
          before={
            opened && (
              <Button
                look={failed ? "default" : "ghost"}
                icon={failed ? Check : RotateCcw}
                busy={busy === (failed ? "accept" : "retry")}
                disabled={busy !== null || done}
                arming={!armed && busy === null && !done}
                onClick={() => (failed ? question.accept(null) : void retry())}
              >
                {t(failed ? "answer.isDone" : "answer.openAgain")}
              </Button>
            )
          }
          {...(opened ? { cancelLabel: t("answer.stopWaiting"), cancelHint: t("cancelling.wait"), declineLabel: null } : {})}
        />
      }
    >
      {problem !== null && !over && (
        <ErrorNotice className="mt-3.5" title={t("url.problem")} why={<Said whole said={problem} />} next={t("url.problemNext")}>
          <CopyButton text={address.url} label={t("url.copy")} worded />
        </ErrorNotice>
      )}
      {opened && problem === null && !over && (
        <p role="status" className="m-0 mt-3.5 flex gap-2 rounded-m border border-line bg-wait-soft px-3 py-2.5 font-medium text-wait">
          <Icon of={Hourglass} className="mt-0.75 shrink-0" />
          <span className="min-w-0 wrap-any">
            {t("url.waitingFor")}
            {besideQuotes(i18n.language)}
            <QuotedName text={serverName} />
            {besideQuotes(i18n.language)}
            {t("url.waitingAfter")}
          </span>
        </p>
      )}
      <Part title={t("url.address")}>
        <Address address={address} />
      </Part>
      <AddressSigns address={address} />
      <TheirWords server={serverName} says={t("says.url")} none={t("says.noReason")}>
        {message}
      </TheirWords>
    </QuestionFrame>
  );
}

export const url: Kind<"url"> = {
  role: "server",
  // A blocked or misleading URL doesn't look like one that could be opened.
  mark: ({ address: { blocked, misleads }, opened }) =>
    blocked !== null
      ? { icon: ShieldX, colour: "text-bad" }
      : misleads && !opened
        ? { icon: TriangleAlert, colour: "text-bad" }
        : { icon: Link2, colour: "text-info" },
  short: ({ address, opened, problem }, t) => (
    <>
      {leadIn(t(address.blocked !== null ? "short.blocked" : !opened ? "short.url" : problem === null ? "short.opened" : "short.failed"))}
      <Quoted text={address.domain || address.url} />
    </>
  ),
  Detail: UrlDetail,
};
