import { type ReactNode, useContext } from "react";
import { Trans, useTranslation } from "react-i18next";
import { Kbd } from "@/components/kbd";
import { ANSWER_KEY, InPlace } from "@/lib/answer-place";
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import { callerName, callingApp } from "@/lib/callers";
import { ariaKeys } from "@/lib/platform";
import type { Question } from "../use-question";
import { Asker, Why } from "./asker";
import { Gone } from "./gone";
import { Later } from "./later";
import { Together } from "./together";

/** The page of a question: what it is, who asks and why, its content, and the buttons below. */
export function QuestionFrame({
  question,
  kicker,
  title,
  lead,
  whyLink,
  notice,
  bar,
  children,
}: {
  question: Question;
  kicker: string;
  title: ReactNode;
  lead?: ReactNode;
  /** A link after the reason for asking now. */
  whyLink?: ReactNode;
  /** A notice above everything else. */
  notice?: ReactNode;
  bar: ReactNode;
  children: ReactNode;
}) {
  const { t } = useTranslation("inbox");
  const { kind, view, gone, answering } = question;
  const inPlace = useContext(InPlace);
  return (
    <section
      aria-labelledby="question-title"
      data-question-in-place={inPlace || undefined}
      className="group/question flex min-h-0 flex-1 flex-col"
    >
      <div data-question-text className="relative min-h-0 flex-1 overflow-y-auto">
        <div className="max-w-195 px-5 pt-3 pb-6">
          <div className="mb-1 flex min-h-6 items-center gap-2 text-fg-3">
            <p className="m-0 min-w-0 flex-1 wrap-any">
              {kicker}
              <ByWhom view={view} />
            </p>
            {inPlace && (
              <span aria-hidden className="shrink-0 text-sm group-focus-within/question:hidden">
                <Trans t={t} i18nKey="waits.press" components={{ key: <Kbd keys={ANSWER_KEY} /> }} />
              </span>
            )}
            <Later question={question} />
          </div>
          <h2
            id="question-title"
            // In place, nothing takes the focus away from typing.
            data-start={inPlace ? undefined : true}
            tabIndex={-1}
            aria-keyshortcuts={inPlace ? ariaKeys(ANSWER_KEY) : undefined}
            className="m-0 outline-none mb-1 text-xl font-[620] tracking-[-.015em] wrap-any [&_code]:text-[17px]"
          >
            {title}
          </h2>
          <Why view={view} lead={lead} whyLink={whyLink} />
          <Asker view={view} role={kind.role} />
          {notice}
          {gone && !answering.done && <Gone view={view} role={kind.role} />}
          {children}
          <Together question={question} />
        </div>
      </div>
      {bar}
    </section>
  );
}

/** Who makes the call, or the app whose call led to it. */
function ByWhom({ view: { question, occasion, serverName } }: { view: InteractionView }) {
  const { t } = useTranslation(["inbox", "common"]);
  const { caller } = occasion;
  const app = callingApp(caller);
  // If the question is about an app, the title names it.
  if (caller === null || question.kind === "app") return null;
  const whose = question.kind === "tool" ? callerName(caller, t, serverName) : app === null ? null : t("queue.by.app", { app });
  return (
    whose !== null && (
      <>
        {" · "}
        <bdi>{whose}</bdi>
      </>
    )
  );
}
