import type { ReactElement } from "react";
import { FormDetail } from "../form/form-detail";
import { AnswerDetail } from "../sampling/answer-detail";
import { SamplingDetail } from "../sampling/sampling-detail";
import type { DetailProps } from "../use-question";
import { AppDetail } from "./app";
import { RootsDetail } from "./roots";
import { TerminalDetail } from "./terminal";
import { ToolDetail } from "./tool";
import { UrlDetail } from "./url";

/** One question, by its kind. */
export function Detail(props: DetailProps): ReactElement {
  const { question } = props.view;
  switch (question.kind) {
    case "tool":
      return <ToolDetail {...props} asked={question} />;
    case "app":
      return question.isTerminal ? <TerminalDetail {...props} asked={question} /> : <AppDetail {...props} asked={question} />;
    case "form":
      return <FormDetail {...props} asked={question} />;
    case "url":
      return <UrlDetail {...props} asked={question} />;
    case "sampling":
      return <SamplingDetail {...props} asked={question} />;
    case "sampling_answer":
      return <AnswerDetail {...props} asked={question} />;
    case "roots":
      return <RootsDetail {...props} asked={question} />;
  }
}
