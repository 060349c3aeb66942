// A failed connection in words. The backend writes English: in another language its sentence is evidence, not ours.
import i18next from "i18next";
import type { Failure } from "@/ipc/bindings/Failure";
import { visible } from "./untrusted";

const codes = [
  "command_not_found", "not_executable", "exited", "timeout", "refused", "not_mcp", "http_status", "sign_in", "handshake", "too_large", "internal",
] as const;

interface FailureWords {
  readonly title: string;
  readonly why: string;
  readonly next: string;
  readonly evidence: string | null;
}

/** What happened, why, the next step and what supports it, all of it ours in one language. */
export function failureWords(failure: Failure, language: string): FailureWords {
  const code = codes.find((item) => item === failure.code) ?? "internal";
  const say = (part: "title" | "why" | "next") => i18next.t(`failure.${code}.${part}`, { ns: "servers", lng: language });
  if (language === "en") {
    return { title: say("title"), why: visible(failure.message), next: failure.next === null ? say("next") : visible(failure.next), evidence: failure.evidence };
  }
  const evidence = [failure.message, failure.evidence].filter((part) => part !== null && part !== "").join("\n\n");
  return { title: say("title"), why: say("why"), next: say("next"), evidence };
}
