// The problems of an answer: the quick check immediately, the host's check a moment later.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type Draft, problemsOf } from "@/components/form/draft";
import type { FormMistake } from "@/ipc/bindings/FormMistake";
import type { Sentence } from "@/ipc/bindings/Sentence";
import type { IpcError } from "@/ipc/bridge";
import { formCheck } from "@/ipc/queries";
import type { Problem } from "@/lib/schema/check";
import { sentence, sentenceFrom } from "@/lib/sentence";
import { visibleLine } from "@/lib/untrusted";
import { useDebounced } from "@/lib/use-debounced";
import { type Asked, answerIn } from "./answer";
import { quickProblems } from "./check";

/** The mistakes in a rejected answer. */
function refused(problem: IpcError | null): FormMistake[] {
  const details = problem?.code === "invalid_answer" ? problem.details : null;
  if (typeof details !== "object" || details === null || !("mistakes" in details) || !Array.isArray(details.mistakes)) return [];
  return details.mistakes.flatMap((item: unknown): FormMistake[] => {
    if (typeof item !== "object" || item === null || !("field" in item) || !("message" in item)) return [];
    const message = sentenceFrom(item.message);
    return typeof item.field === "string" && message !== null ? [{ field: item.field, message }] : [];
  });
}

const PATTERN = "doesn’t match {pattern}";

/** Capitalised like our own messages, and without a full stop, which could be taken for a part of a pattern. */
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** The host's message. Few people can read a pattern, so the server's description of the field comes first. */
function saidOf({ fields }: Asked, name: string, message: Sentence, language: string): string {
  const words = capital(sentence(message, language));
  const description = fields.find((field) => field.name === name)?.description?.trim();
  return message.code === PATTERN && description ? `“${visibleLine(description)}” · ${words}` : words;
}

/** The problems that the quick check finds, and the host's for the other fields. */
export function useProblems({
  id,
  asked,
  draft,
  content,
  live,
  problem,
}: {
  id: number;
  asked: Asked;
  draft: Draft;
  content: string | null;
  live: boolean;
  problem: IpcError | null;
}): readonly Problem[] {
  const { i18n } = useTranslation();
  const rested = useDebounced(content, 250);
  const quick = [...problemsOf(draft, asked.root, undefined), ...quickProblems(asked.root, answerIn(asked, draft))];
  const { data = [] } = useQuery({ ...formCheck(id, rested ?? ""), enabled: live && rested !== null });
  const [refusal, setRefusal] = useState<{ problem: IpcError | null; content: string | null }>({ problem: null, content: null });
  if (refusal.problem !== problem) setRefusal({ problem, content });
  // The host's results for another text don't apply.
  const said = [...(rested === content ? data : []), ...(refusal.content === content ? refused(problem) : [])];
  const seen = new Set(quick.map(({ path }) => path[0]));
  const told = new Map(said.filter(({ field }) => !seen.has(field)).map(({ field, message }) => [field, message]));
  return [
    ...quick,
    ...[...told].map(([field, message]): Problem => ({
      path: [field],
      code: "said",
      detail: saidOf(asked, field, message, i18n.language),
    })),
  ];
}
