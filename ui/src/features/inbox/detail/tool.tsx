import { Link } from "@tanstack/react-router";
import { Check, TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Chip } from "@/components/chip";
import { Icon } from "@/components/icon";
import { Quoted, QuotedName, UntrustedText } from "@/components/their-voice";
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";
import type { ToolHints } from "@/ipc/bindings/ToolHints";
import { besideQuotes, leadIn } from "@/lib/lead-in";
import { wholeSentence } from "@/lib/sentence";
import { type DetailProps, useQuestion } from "../use-question";
import { AnswerBar } from "./answer-bar";
import { Arguments } from "./arguments";
import { Part, QuestionFrame } from "./frame";
import { RememberChoice } from "./remember";
import { TheirWords } from "./their-words";

/** Permission to run a tool. */
export function ToolDetail({ asked, ...props }: DetailProps & { asked: Extract<InteractionQuestion, { kind: "tool" }> }) {
  const { t, i18n } = useTranslation("inbox");
  const question = useQuestion(props, "tool");
  const { serverName } = props.view;
  const { remember } = question;
  // What a program here does with it is not known: at first it stays on this computer.
  const leaves = t(props.view.transport === "stdio" ? "handed" : "leaves");
  const title = asked.title ?? "";
  const description = asked.description ?? "";
  return (
    <QuestionFrame
      question={question}
      kicker={t("kicker.tool")}
      title={
        <>
          {t("title.tool.before")}
          {besideQuotes(i18n.language)}
          <QuotedName text={serverName} />
          {besideQuotes(i18n.language)}
          {t("title.tool.between")} <Quoted text={asked.tool} />
          {t("title.tool.after")}
        </>
      }
      lead={t("tool.asks", { why: wholeSentence(asked.reason, i18n.language, false) })}
      bar={
        <AnswerBar
          question={question}
          yes={{ label: t(`answer.tool.${remember}`), icon: Check, onPress: () => question.accept(null) }}
          declineLabel={t(remember === "always" ? "answer.never" : "answer.decline")}
          cancelLabel={t("answer.cancelCall")}
          note={
            asked.reviewed ? (
              t("tool.reviewed")
            ) : (
              <>
                {leadIn(t("tool.notReviewed"))}
                <Link
                  to="/servers"
                  search={{ id: props.view.server, tab: "trust" }}
                  preload={false}
                  className="rounded-xs font-medium text-accent no-underline hover:underline"
                >
                  {t("tool.toTrust")}
                </Link>
              </>
            )
          }
        />
      }
    >
      <Part title={leaves}>
        <Arguments label={leaves} text={asked.arguments} />
      </Part>
      <TheirWords server={serverName} says={t("says.tool")} none={t("says.nothing")}>
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
      {asked.cut && (
        <p className="m-0 mt-2 flex gap-2">
          <Icon of={TriangleAlert} className="mt-0.75 shrink-0 text-warn" />
          <span className="min-w-0">{t("tool.cut")}</span>
        </p>
      )}
      <Hints hints={asked.hints} />
      <RememberChoice question={question} kind="tool" />
    </QuestionFrame>
  );
}

/** What the server claims of the tool's effects: claims, shown as claims. */
function Hints({ hints }: { hints: ToolHints }) {
  const { t } = useTranslation("inbox");
  const { readOnly, destructive, idempotent, openWorld } = hints;
  // What it does not say is no claim. What only reads neither destroys nor repeats: saying so twice is noise.
  const said = [
    readOnly !== null && (readOnly ? ("readOnly" as const) : ("notReadOnly" as const)),
    readOnly !== true && destructive !== null && (destructive ? ("destructive" as const) : ("notDestructive" as const)),
    readOnly !== true && idempotent === true && ("idempotent" as const),
    openWorld !== null && (openWorld ? ("openWorld" as const) : ("closedWorld" as const)),
  ].filter((claim) => claim !== false);
  if (said.length === 0) return <p className="m-0 mt-2 text-sm text-fg-3">{t("hint.none")}</p>;
  return (
    <div className="mt-2 flex items-baseline gap-2">
      <span className="shrink-0 text-fg-3">{t("hint.label")}</span>
      <ul aria-label={t("hint.label")} className="m-0 flex list-none flex-wrap gap-1.5 p-0">
        {said.map((name) => (
          <li key={name}>
            <Chip>{t(`hint.${name}`)}</Chip>
          </li>
        ))}
      </ul>
    </div>
  );
}
