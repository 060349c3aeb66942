import { type AnswerHereProps, InPlace } from "@/lib/answer-place";
import { Detail } from "./kinds/kinds";

/** A question below the call that waits for it, as in the Inbox. */
export function AnswerInPlace({ view, onNext }: AnswerHereProps) {
  return (
    <InPlace value>
      <Detail key={view.id} view={view} gone={false} onNext={onNext} />
    </InPlace>
  );
}
