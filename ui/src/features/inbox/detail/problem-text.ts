// Why an answer was not accepted, in our words if the code is known.
import type { TFunction } from "i18next";
import type { Code, IpcError } from "@/ipc/bridge";
import { wholeSentence } from "@/lib/sentence";

const known = ["too_early", "wrong_nonce", "not_waiting", "invalid_answer"] as const satisfies readonly Code[];

function mistakes(details: unknown): unknown[] {
  return typeof details === "object" && details !== null && "mistakes" in details && Array.isArray(details.mistakes)
    ? details.mistakes
    : [];
}

export function problemText(problem: IpcError, t: TFunction<["inbox", "common"]>): string {
  // A form's mistakes are shown at its fields. Otherwise show the host's text.
  if (problem.code === "invalid_answer" && mistakes(problem.details).length === 0) return wholeSentence(problem.said);
  const code = known.find((item) => item === problem.code);
  return code === undefined ? wholeSentence(problem.said) : t(`problem.${code}`);
}
