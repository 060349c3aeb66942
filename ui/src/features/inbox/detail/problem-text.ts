// Why an answer was not taken, in our words where we know the code.
import type { TFunction } from "i18next";
import type { IpcError } from "@/ipc/bridge";
import { sentence } from "@/lib/sentence";

const known = ["too_early", "wrong_nonce", "not_waiting", "invalid_answer"] as const;

export function problemText(problem: IpcError, t: TFunction<["inbox", "common"]>): string {
  const code = known.find((item) => item === problem.code);
  return code === undefined ? sentence(problem.said) : t(`problem.${code}`);
}
