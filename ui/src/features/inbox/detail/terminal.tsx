import { Check } from "lucide-react";
import { Trans, useTranslation } from "react-i18next";
import { QuotedName } from "@/components/their-voice";
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";
import { callerName } from "@/lib/callers";
import { type DetailProps, useQuestion } from "../use-question";
import { AnswerBar } from "./answer-bar";
import { QuestionFrame } from "./frame";
import { Part } from "./part";

/** Whether the command line in a terminal may use the servers, until it closes or always for the program that opened it. */
export function TerminalDetail({ asked, ...props }: DetailProps & { asked: Extract<InteractionQuestion, { kind: "app" }> }) {
  const { t } = useTranslation(["inbox", "common"]);
  const question = useQuestion(props, "terminal");
  const program = <QuotedName text={asked.app} />;
  return (
    <QuestionFrame
      question={question}
      kicker={t("kicker.terminal")}
      title={t("title.terminal")}
      lead={<Trans t={t} i18nKey="terminal.opener" components={{ program }} />}
      bar={
        <AnswerBar
          question={question}
          yes={{ label: t("answer.terminal.session"), icon: Check, onPress: () => question.accept(null, "session") }}
          // A program is known by its path alone.
          further={
            asked.program === null
              ? undefined
              : {
                  label: <Trans t={t} i18nKey="answer.terminal.always" components={{ program }} />,
                  onPress: () => question.accept(null, "always"),
                }
          }
          declineLabel={t("answer.app.decline")}
          cancelHint={t("cancelling.command")}
        />
      }
    >
      <Part title={t("app.means")}>
        <ul className="m-0 list-disc space-y-1 pl-4.5 text-fg-2">
          <li>{t("terminal.reach")}</li>
          <li>{t("terminal.asks")}</li>
          <li>{t("terminal.activity", { caller: callerName("command_line", t) })}</li>
          {asked.program !== null && <li>{t("terminal.always")}</li>}
        </ul>
        <p className="m-0 mt-2 text-sm text-fg-3">{t("terminal.refused")}</p>
      </Part>
    </QuestionFrame>
  );
}
