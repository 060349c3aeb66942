// What the Inbox knows of a kind of question. Each kind has a file of its own here, and `kinds.tsx` has all of them.
import type { UseNavigateResult } from "@tanstack/react-router";
import type { TFunction } from "i18next";
import type { LucideIcon } from "lucide-react";
import type { ReactElement } from "react";
import type { DecisionKind } from "@/ipc/bindings/DecisionKind";
import type { InteractionAnswer } from "@/ipc/bindings/InteractionAnswer";
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";
import type { InteractionView } from "@/ipc/bindings/InteractionView";

/** What a question is about, to the person: the command line in a terminal is no app. */
export type Matter = DecisionKind | "terminal";
export type QuestionOf<M extends Matter> = Extract<InteractionQuestion, { kind: M extends "terminal" ? "app" : M }>;

export interface Mark {
  readonly icon: LucideIcon;
  readonly colour: string;
}

/** What the server is to a question: it asks, a call runs on it, or it is the first that an app or a command wants. */
export type ServerRole = "server" | "runsOn" | "firstCall" | "uses";

/** A question on screen. */
export interface QuestionProps {
  readonly view: InteractionView;
  /** Nobody waits for the answer any more. */
  readonly gone: boolean;
  /** Goes on to the next question. */
  readonly onNext: () => void;
  /** It was put off. */
  readonly onPutOff?: () => void;
}

export interface DetailProps<M extends Matter> extends QuestionProps {
  readonly kind: Kind;
  readonly asked: QuestionOf<M>;
}

export interface Kind<M extends Matter = Matter> {
  readonly role: ServerRole;
  /** What stands before it. */
  readonly mark: (asked: QuestionOf<M>) => Mark;
  /** It in two or three words. */
  readonly short: (asked: QuestionOf<M>, t: TFunction<"inbox">) => ReactElement | string;
  readonly Detail: (props: DetailProps<M>) => ReactElement;
  /** Says what became of an answer, where that is more than whether it is remembered. */
  readonly announce?: (
    answer: InteractionAnswer,
    asked: QuestionOf<M>,
    use: { t: TFunction<"inbox">; navigate: UseNavigateResult<string> },
  ) => void;
}
