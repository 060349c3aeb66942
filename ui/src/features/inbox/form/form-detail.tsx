import { ArrowLeft, FileCheck, Send, ShieldAlert } from "lucide-react";
import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Icon } from "@/components/icon";
import { UntrustedText } from "@/components/their-voice";
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";
import { leadIn } from "@/lib/lead-in";
import { AnswerBar } from "../detail/answer-bar";
import { Part, QuestionFrame } from "../detail/frame";
import { TheirWords } from "../detail/their-words";
import { type DetailProps, useQuestion } from "../use-question";
import { FieldRow } from "./field-row";
import { Oddities } from "./oddities";
import { Review } from "./review";
import { useDraft } from "../use-draft";
import { useMistakes } from "./use-mistakes";
import { contentOf, draftOf, firstValues } from "./values";

/** A form of a server: filled in, looked over, and only then sent. */
export function FormDetail({ asked, ...props }: DetailProps & { asked: Extract<InteractionQuestion, { kind: "form" }> }) {
  const { t } = useTranslation(["inbox", "common"]);
  const { view } = props;
  const { fields, message } = asked;
  const [values, setValues] = useState(() => firstValues(fields, view.draft));
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [tried, setTried] = useState(false);
  const [reviewing, setReviewing] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const question = useQuestion(props, reviewing ? "review" : "fill");
  const { problem } = question.answering;
  const content = contentOf(fields, values);
  const live = !question.over;
  const mistakes = useMistakes({ id: view.id, fields, values, content, live, problem });
  useDraft(view.id, draftOf(fields, values), live);
  const shown = (name: string) => (tried || left.has(name) ? (mistakes.get(name) ?? null) : null);
  // A refused answer goes back to where it can be mended, and is looked over again before it is sent again.
  if (reviewing && mistakes.size > 0) setReviewing(false);
  const entered = content !== contentOf(fields, firstValues(fields, null));
  const secret = fields.some((field) => field.looksSecret);

  const look = () => {
    // What is wrong is marked before anything else can be pressed: nothing moves under the pointer later.
    flushSync(() => setTried(true));
    if (mistakes.size === 0) return setReviewing(true);
    const row = list.current?.querySelector<HTMLElement>("[data-invalid]");
    row?.querySelector<HTMLElement>(":is(input, textarea, button)")?.focus({ preventScroll: true });
    // With its name above and what is wrong below.
    row?.scrollIntoView({ block: "center" });
  };
  return (
    <QuestionFrame
      question={question}
      kicker={t("kicker.form")}
      title={
        <>
          <bdi>
            <UntrustedText text={view.serverName} />
          </bdi>{" "}
          {t("title.form")}
        </>
      }
      bar={
        reviewing ? (
          <AnswerBar
            question={question}
            entered={entered}
            yes={{ label: t("answer.send"), icon: Send, onPress: () => question.accept(content) }}
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
            note={tried && mistakes.size > 0 ? t("form.mistakes", { count: mistakes.size }) : t("form.draftKept")}
          />
        )
      }
    >
      <TheirWords server={view.serverName} says={t("says.form")} none={t("says.noReason")}>
        {message}
      </TheirWords>
      {secret && (
        <div role="alert" className="mt-3.5 flex gap-2 rounded-m border border-bad bg-bad-soft px-3 py-2.5 text-bad">
          <Icon of={ShieldAlert} className="mt-0.75 shrink-0" />
          <p className="m-0 min-w-0 text-pretty">
            <b>{leadIn(t("form.secretTitle"))}</b>
            {t("form.secretText")}
          </p>
        </div>
      )}
      <Oddities of={asked.oddities} />
      {reviewing ? (
        <Review fields={fields} values={values} transport={view.transport} />
      ) : (
        <Part title={t("form.answers")}>
          <div ref={list}>
            {fields.map((field) => (
              <FieldRow
                key={field.name}
                field={field}
                value={values.get(field.name) ?? null}
                error={shown(field.name)}
                disabled={!live}
                onChange={(value) => setValues((now) => new Map(now).set(field.name, value))}
                onLeave={() => setLeft((now) => (now.has(field.name) ? now : new Set(now).add(field.name)))}
              />
            ))}
          </div>
          {fields.length === 0 && <p className="m-0 text-fg-2">{t("form.noFields")}</p>}
        </Part>
      )}
    </QuestionFrame>
  );
}
