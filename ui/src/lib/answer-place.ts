// Where a question is answered: in the Inbox, or in place of the waiting call's form. Screens don't know each other, so
// the window's frame provides the component that answers a question.
import { createContext, type ReactNode, useContext } from "react";
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import { firstField } from "./first-field";

export interface AnswerHereProps {
  readonly view: InteractionView;
  /** Called when it was answered, or the answer is no longer needed. */
  readonly onNext: () => void;
}

/** The component that answers a question outside of the Inbox. */
export const AnswerHere = createContext<((props: AnswerHereProps) => ReactNode) | null>(null);

/** Set around a question that is answered in place. */
export const InPlace = createContext(false);

/** The part of the page with a question in place. Its keys only work there. */
export const QUESTION_IN_PLACE = "[data-question-in-place]";

/** The key that moves into it. */
export const ANSWER_KEY = "a";

/** A question's keys work everywhere in the Inbox, but elsewhere only inside of it. */
export const useKeysWithin = (): string | null => (useContext(InPlace) ? QUESTION_IN_PLACE : null);

/** Moves the focus into the question in place: to its first field, or to its heading. */
export function enterQuestion(): void {
  const question = document.querySelector(QUESTION_IN_PLACE);
  if (question !== null) (firstField(question) ?? question.querySelector<HTMLElement>("h2"))?.focus();
}

/** The questions that are visible outside of the Inbox, so that no message about them is needed. */
export const shownInPlace = new Set<number>();
