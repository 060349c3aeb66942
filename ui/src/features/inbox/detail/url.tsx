import { Check, ExternalLink, Hourglass, RotateCcw, ShieldX, TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { CopyButton } from "@/components/code-block";
import { ErrorNotice } from "@/components/error-notice";
import { Icon } from "@/components/icon";
import { Said } from "@/components/said";
import { Quoted, QuotedName, UntrustedText } from "@/components/their-voice";
import type { AddressView } from "@/ipc/bindings/AddressView";
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";
import type { Sentence } from "@/ipc/bindings/Sentence";
import { besideQuotes, leadIn } from "@/lib/lead-in";
import { type DetailProps, useQuestion } from "../use-question";
import { AnswerBar } from "./answer-bar";
import { QuestionFrame } from "./frame";
import { Part } from "./part";
import { TheirWords } from "./their-words";

/** An address that a server wants opened, before anything fetches it. */
export function UrlDetail({ asked, ...props }: DetailProps & { asked: Extract<InteractionQuestion, { kind: "url" }> }) {
  const { t, i18n } = useTranslation("inbox");
  const question = useQuestion(props, asked.opened ? "opened" : "closed");
  const { address, message, opened, problem } = asked;
  const { over } = question;
  const { armed, busy, done, retry } = question.answering;
  const { serverName } = props.view;
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
                  label: t(opened ? "answer.isDone" : "answer.open"),
                  icon: opened ? Check : ExternalLink,
                  onPress: () => question.accept(null),
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
                look="ghost"
                icon={RotateCcw}
                busy={busy === "retry"}
                disabled={!armed || busy !== null || done}
                onClick={() => void retry()}
              >
                {t("answer.openAgain")}
              </Button>
            )
          }
          {...(opened ? { cancelLabel: t("answer.stopWaiting"), declineLabel: null } : {})}
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
      {address.blocked !== null && <Sign icon={ShieldX} colour="text-bad" title={t("url.blocked")} said={address.blocked} />}
      {address.warnings.map((warning, index) => (
        <Sign key={index} icon={TriangleAlert} colour="text-warn" title={null} said={warning} />
      ))}
      <TheirWords server={serverName} says={t("says.url")} none={t("says.noReason")}>
        {message}
      </TheirWords>
    </QuestionFrame>
  );
}

/** The whole address, with what decides whom it belongs to standing out. */
function Address({ address: { url, before, domain, after, unicodeHost, blocked } }: { address: AddressView }) {
  const { t } = useTranslation("inbox");
  return (
    <div className="group/code relative rounded-m border border-line bg-sunken">
      <div
        data-theirs
        dir="ltr"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
        tabIndex={0}
        role="group"
        aria-label={t("url.address")}
        className="selectable mono inset-focus max-h-40 overflow-auto rounded-m px-3 py-2.5 pr-9 leading-5 wrap-any text-fg-3"
      >
        <UntrustedText text={before} />
        <b className={blocked === null ? "rounded-xs bg-accent-soft px-0.5 font-bold! text-fg" : "font-bold! text-bad"}>
          <UntrustedText text={domain} />
        </b>
        <UntrustedText text={after} />
      </div>
      {unicodeHost !== null && (
        <p className="m-0 border-t border-line px-3 py-2 text-fg-2">
          {t("url.looksLike")}{" "}
          <b data-theirs className="selectable mono wrap-any text-warn">
            <bdi>
              <UntrustedText text={unicodeHost} />
            </bdi>
          </b>
        </p>
      )}
      <CopyButton
        text={url}
        className="absolute top-1.5 right-1.5 bg-sunken opacity-0 group-focus-within/code:opacity-100 group-hover/code:opacity-100"
      />
    </div>
  );
}

function Sign({ icon, colour, title, said }: { icon: typeof ShieldX; colour: string; title: string | null; said: Sentence }) {
  return (
    <p className="m-0 mt-2 flex gap-2">
      <Icon of={icon} className={`mt-0.75 shrink-0 ${colour}`} />
      <span className="min-w-0 wrap-any">
        {title !== null && <b className={colour}>{leadIn(title)}</b>}
        <Said whole said={said} />
      </span>
    </p>
  );
}
