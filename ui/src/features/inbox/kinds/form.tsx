import { ArrowLeft, FileCheck, ListChecks, Send, ShieldAlert } from "lucide-react";
import { useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Form } from "@/components/form/form";
import { focusProblem } from "@/components/form/form-context";
import { Icon } from "@/components/icon";
import { QuotedName } from "@/components/their-voice";
import { cx } from "@/lib/cx";
import { firstField } from "@/lib/first-field";
import { formatList } from "@/lib/format";
import { besideQuotes, leadIn } from "@/lib/lead-in";
import type { Problem } from "@/lib/schema/check";
import { quotedLine } from "@/lib/untrusted";
import { AnswerBar } from "../detail/answer-bar";
import { QuestionFrame } from "../detail/frame";
import { Part } from "../detail/part";
import { TheirWords } from "../detail/their-words";
import { useQuestion } from "../use-question";
import { useDraft } from "../use-draft";
import { answerIn, contentOf, draftOf, firstDraft, secretsIn, unfilledIn } from "../form/answer";
import { formOf } from "../form/model";
import { Oddities } from "../form/oddities";
import { Review } from "../form/review";
import { useProblems } from "../form/use-problems";
import type { DetailProps, Kind } from "./kind";

/** A server's form: filled in, reviewed, and only then sent. */
function FormDetail({ asked, ...props }: DetailProps<"form">) {
  const { t, i18n } = useTranslation(["inbox", "common"]);
  const { view } = props;
  const { fields, message } = asked;
  const form = { fields, root: formOf(fields) };
  const [draft, setDraft] = useState(() => firstDraft(form, view.draft));
  const [reviewing, setReviewing] = useState(false);
  const question = useQuestion(props, reviewing ? "review" : "fill");
  const { problem } = question.answering;
  const content = contentOf(form, draft);
  const live = !question.over;
  const problems = useProblems({ id: view.id, asked: form, draft, content, live, problem });
  useDraft(view.id, draftOf(form, draft), live);
  // A rejected answer returns to the form, and is reviewed again before it is sent.
  if (reviewing && problems.length > 0) setReviewing(false);
  const entered = content !== contentOf(form, firstDraft(form, null));
  const asksSecret = fields.some((field) => field.looksSecret);
  const secret = secretsIn(form, draft.value).size > 0;
  const wrong = new Set(problems.map(({ path }) => path[0])).size;

  useStepFocus(reviewing, problems);

  const look = () => {
    // Problems are marked before anything else can be pressed, so that nothing moves under the pointer later.
    flushSync(() => setDraft((now) => ({ ...now, revealed: true })));
    if (problems.length === 0) setReviewing(true);
    else focusProblem(problems);
  };
  return (
    <QuestionFrame
      question={question}
      kicker={t("kicker.form")}
      title={
        <>
          <QuotedName text={view.serverName} />
          {besideQuotes(i18n.language)}
          {t("title.form")}
        </>
      }
      bar={
        fields.length === 0 ? (
          <AnswerBar
            question={question}
            yes={{ label: t("answer.sendEmpty"), icon: Send, onPress: () => content !== null && question.accept(content) }}
            note={problem === null ? t("form.nothingSent") : undefined}
          />
        ) : reviewing ? (
          <AnswerBar
            question={question}
            entered={entered}
            yes={{
              label: t(secret ? "answer.sendSecret" : "answer.send"),
              icon: Send,
              onPress: () => content !== null && question.accept(content),
              ...(secret && { danger: "bad" as const }),
            }}
            before={
              <Button icon={ArrowLeft} onClick={() => setReviewing(false)}>
                {t("answer.back")}
              </Button>
            }
            note={problem === null ? t("form.nothingSent") : undefined}
          />
        ) : (
          <AnswerBar
            question={question}
            entered={entered}
            yes={{ label: t("answer.review"), icon: FileCheck, leads: true, onPress: look }}
            note={draft.revealed && wrong > 0 ? t("form.mistakes", { count: wrong }) : t(entered ? "form.draftKept" : "form.reviewFirst")}
          />
        )
      }
      notice={
        asksSecret && (
          <SecretNotice entered={secret} names={fields.filter((field) => field.looksSecret).map(({ title, name }) => title ?? name)} />
        )
      }
    >
      {/* The values to send come before the reason for asking. */}
      {reviewing && <Review asked={form} draft={draft} transport={view.transport} />}
      <TheirWords server={view.serverName} says={t("says.form")} none={t("says.noReason")}>
        {message}
      </TheirWords>
      <Oddities of={asked.oddities} />
      {!reviewing && (
        <Part title={t("form.answers")}>
          <div className="max-w-160">
            <Form
              root={form.root}
              server={view.serverName}
              draft={draft}
              problems={problems}
              unfilled={unfilledIn(form, answerIn(form, draft))}
              asked
              disabled={!live}
              empty={t("form.noFields")}
              onChange={setDraft}
            />
          </div>
        </Part>
      )}
    </QuestionFrame>
  );
}

/** Warns that the form asks for a secret. The text stays the same while typing, so that nothing moves. */
function SecretNotice({ entered, names }: { entered: boolean; names: readonly string[] }) {
  const { t, i18n } = useTranslation("inbox");
  return (
    <div
      {...(entered && { role: "alert" })}
      className={cx(
        "mt-2 mb-3 flex gap-2 rounded-m border px-3 py-2.5",
        entered ? "border-bad bg-bad-soft text-bad" : "border-warn bg-warn-soft text-warn",
      )}
    >
      <Icon of={ShieldAlert} className="mt-0.75 shrink-0" />
      <p className="m-0 min-w-0 text-pretty">
        <b>{leadIn(t("form.secretTitle"))}</b>
        {leadIn(t("form.secretFields", { count: names.length, list: formatList(names.map(quotedLine), i18n.language) }))}
        {t("form.secretText")}
      </p>
    </div>
  );
}

/** When a step replaces another, the focused element is gone, so the next step gets the focus and its keys. */
function useStepFocus(reviewing: boolean, problems: readonly Problem[]): void {
  const before = useRef(reviewing);
  useLayoutEffect(() => {
    if (before.current === reviewing) return;
    before.current = reviewing;
    const question = document.getElementById("question-title")?.closest("section");
    const { activeElement, body } = document;
    if (!question || (activeElement !== body && !question.contains(activeElement))) return;
    // Never to the sending button: only the person chooses what Space presses.
    const step = question.querySelector<HTMLElement>("[data-step]");
    if (step === null && problems.length > 0) focusProblem(problems);
    else if (step === null) firstField(question)?.focus();
    else {
      // Reading starts at the top, where the warning is.
      step.focus({ preventScroll: true });
      question.querySelector("[data-question-text]")?.scrollTo({ top: 0 });
    }
  }, [reviewing, problems]);
}

export const form: Kind<"form"> = {
  role: "server",
  mark: () => ({ icon: ListChecks, colour: "text-info" }),
  short: (_, t) => t("short.form"),
  Detail: FormDetail,
};
