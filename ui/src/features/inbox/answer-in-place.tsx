import { type AnswerHereProps, InPlace } from "@/lib/answer-place";
import { Detail } from "./kinds/kinds";

/** A question under the call that waits for it, with all that the Inbox shows of it. */
export function AnswerInPlace({ view, onNext }: AnswerHereProps) {
  return (
    <InPlace value>
      <Detail key={view.id} view={view} gone={false} onNext={onNext} />
    </InPlace>
  );
}
