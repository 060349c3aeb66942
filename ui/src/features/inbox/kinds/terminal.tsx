import { Check, SquareTerminal } from "lucide-react";
import { Trans, useTranslation } from "react-i18next";
import { Quoted, QuotedName } from "@/components/their-voice";
import { callerName } from "@/lib/callers";
import { leadIn } from "@/lib/lead-in";
import { toast } from "@/lib/toasts";
import { visibleLine } from "@/lib/untrusted";
import { useQuestion } from "../use-question";
import { AnswerBar } from "../detail/answer-bar";
import { QuestionFrame } from "../detail/frame";
import { Part } from "../detail/part";
import type { DetailProps, Kind } from "./kind";

/** Whether the command line in a terminal may use the servers: until it closes, or always for its program. */
function TerminalDetail({ asked, ...props }: DetailProps<"terminal">) {
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
          // A program is only identified by its path.
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

export const terminal: Kind<"terminal"> = {
  role: "uses",
  mark: () => ({ icon: SquareTerminal, colour: "text-wait" }),
  short: ({ app }, t) => (
    <>
      {leadIn(t("short.terminal"))}
      <Quoted text={app} />
    </>
  ),
  Detail: TerminalDetail,
  // A program that is always allowed is listed in Settings, where it can be undone.
  announce: (answer, { app }, { t, navigate }) => {
    if (answer.action !== "accept") return;
    if (answer.remember !== "always") toast({ text: t("done.terminal") });
    else
      toast({
        text: t("done.terminalAlways", { program: visibleLine(app) }),
        action: { label: t("done.toSettings"), run: () => void navigate({ to: "/settings", search: { setting: "terminals" } }) },
      });
  },
};
