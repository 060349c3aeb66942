// Where a question is answered: in the Inbox, or in place, where the call that waits for it was filled in. Screens don't
// know each other: the frame of the window gives the others what answers a question.
import { createContext, type ReactNode, useContext } from "react";
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import { firstField } from "./first-field";

export interface AnswerHereProps {
  readonly view: InteractionView;
  /** It was answered, or nobody waits for the answer any more. */
  readonly onNext: () => void;
}

/** What answers a question outside the Inbox. */
export const AnswerHere = createContext<((props: AnswerHereProps) => ReactNode) | null>(null);

/** Around a question that is answered in place. */
export const InPlace = createContext(false);

/** The part of the page with a question that is answered in place: its keys count only there. */
export const QUESTION_IN_PLACE = "[data-question-in-place]";

/** The key that leads into it. */
export const ANSWER_KEY = "a";

/** The keys of a question count everywhere in the Inbox; elsewhere only within it, where they can mean nothing else. */
export const useKeysWithin = (): string | null => (useContext(InPlace) ? QUESTION_IN_PLACE : null);

/** Takes the keyboard into the question in place: to its first field, or to what it asks. */
export function enterQuestion(): void {
  const question = document.querySelector(QUESTION_IN_PLACE);
  if (question !== null) (firstField(question) ?? question.querySelector<HTMLElement>("h2"))?.focus();
}

/** The questions that are in sight outside the Inbox: nobody needs to be led to them. */
export const shownInPlace = new Set<number>();
