// What the Inbox knows about each kind of question. Each kind has its own file, and `kinds.tsx` lists them.
import type { UseNavigateResult } from "@tanstack/react-router";
import type { TFunction } from "i18next";
import type { LucideIcon } from "lucide-react";
import type { ReactElement } from "react";
import type { DecisionKind } from "@/ipc/bindings/DecisionKind";
import type { InteractionAnswer } from "@/ipc/bindings/InteractionAnswer";
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";
import type { InteractionView } from "@/ipc/bindings/InteractionView";

/** The subject of a question for the person: the command line in a terminal isn't an app. */
export type Matter = DecisionKind | "terminal";
export type QuestionOf<M extends Matter> = Extract<InteractionQuestion, { kind: M extends "terminal" ? "app" : M }>;

export interface Mark {
  readonly icon: LucideIcon;
  readonly colour: string;
}

/** The server's role in a question: it asks, a call runs on it, or it is the first that an app or a command needs. */
export type ServerRole = "server" | "runsOn" | "firstCall" | "uses";

/** A question on screen. */
export interface QuestionProps {
  readonly view: InteractionView;
  /** Whether the answer is no longer needed. */
  readonly gone: boolean;
  /** Moves on to the next question. */
  readonly onNext: () => void;
  /** Called when it was put off. */
  readonly onPutOff?: () => void;
}

export interface DetailProps<M extends Matter> extends QuestionProps {
  readonly kind: Kind;
  readonly asked: QuestionOf<M>;
}

export interface Kind<M extends Matter = Matter> {
  readonly role: ServerRole;
  /** The icon before it. */
  readonly mark: (asked: QuestionOf<M>) => Mark;
  /** The question in two or three words. */
  readonly short: (asked: QuestionOf<M>, t: TFunction<"inbox">) => ReactElement | string;
  readonly Detail: (props: DetailProps<M>) => ReactElement;
  /** Announces the result of an answer, if that is more than whether it is remembered. */
  readonly announce?: (
    answer: InteractionAnswer,
    asked: QuestionOf<M>,
    use: { t: TFunction<"inbox">; navigate: UseNavigateResult<string> },
  ) => void;
}
