import { useTranslation } from "react-i18next";
import type { DecisionView } from "@/ipc/bindings/DecisionView";
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";
import { app } from "./app";
import { form } from "./form";
import type { Kind, Matter, QuestionProps } from "./kind";
import { roots } from "./roots";
import { sampling } from "./sampling";
import { samplingAnswer } from "./sampling-answer";
import { terminal } from "./terminal";
import { tool } from "./tool";
import { url } from "./url";

/** Every kind of question. */
export const kinds: { readonly [M in Matter]: Kind<M> } = {
  tool,
  app,
  terminal,
  form,
  url,
  sampling,
  sampling_answer: samplingAnswer,
  roots,
};

/** The subject of a decision, which doesn't have it. Apps never call from the command line. */
export const decidedMatter = ({ kind, caller }: DecisionView): Matter => (kind === "app" && caller === "command_line" ? "terminal" : kind);

export const kindOf = (question: InteractionQuestion): Kind =>
  kinds[question.kind === "app" && question.isTerminal ? "terminal" : question.kind] as Kind;

export function Short({ question }: { question: InteractionQuestion }) {
  const { t } = useTranslation("inbox");
  return kindOf(question).short(question, t);
}

export function Detail(props: QuestionProps) {
  const { question } = props.view;
  const kind = kindOf(question);
  return <kind.Detail {...props} kind={kind} asked={question} />;
}
