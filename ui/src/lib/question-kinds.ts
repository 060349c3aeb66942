// The kinds of questions, in the order in which they are listed.
import type { DecisionKind } from "@/ipc/bindings/DecisionKind";

/** A record, so that a kind that is missing doesn't compile. */
const listed: Record<DecisionKind, true> = {
  tool: true,
  app: true,
  form: true,
  url: true,
  sampling: true,
  sampling_answer: true,
  roots: true,
};

export const questionKinds = Object.keys(listed) as readonly DecisionKind[];
