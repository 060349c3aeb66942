// What is wrong with each field: the quick check at once, the host's a moment later.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { FormField } from "@/ipc/bindings/FormField";
import type { FormMistake } from "@/ipc/bindings/FormMistake";
import type { IpcError } from "@/ipc/bridge";
import { formCheck } from "@/ipc/queries";
import { formatNumber } from "@/lib/format";
import { sentence, sentenceFrom } from "@/lib/sentence";
import { useDebounced } from "@/lib/use-debounced";
import { mistakeOf } from "./check";
import type { Values } from "./values";

/** The mistakes that came with a refused answer. */
function refused(problem: IpcError | null): FormMistake[] {
  const details = problem?.code === "invalid_answer" ? problem.details : null;
  if (typeof details !== "object" || details === null || !("mistakes" in details) || !Array.isArray(details.mistakes)) return [];
  return details.mistakes.flatMap((item: unknown): FormMistake[] => {
    if (typeof item !== "object" || item === null || !("field" in item) || !("message" in item)) return [];
    const message = sentenceFrom(item.message);
    return typeof item.field === "string" && message !== null ? [{ field: item.field, message }] : [];
  });
}

/** Begun as our own words for mistakes are; no stop, which might be taken for a part of a pattern. */
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** The first mistake of each field, in words. */
export function useMistakes({
  id,
  fields,
  values,
  content,
  live,
  problem,
}: {
  id: number;
  fields: readonly FormField[];
  values: Values;
  content: string;
  live: boolean;
  problem: IpcError | null;
}): ReadonlyMap<string, string> {
  const { t, i18n } = useTranslation("inbox");
  const rested = useDebounced(content, 250);
  const quick = new Map(
    fields.flatMap((field) => {
      const mistake = mistakeOf(field, values.get(field.name));
      return mistake === null
        ? []
        : [
            [
              field.name,
              t(`mistake.${mistake.code}`, { limit: "limit" in mistake ? formatNumber(mistake.limit, i18n.language) : "" }),
            ] as const,
          ];
    }),
  );
  const { data = [] } = useQuery({ ...formCheck(id, rested), enabled: live });
  const [refusal, setRefusal] = useState<{ problem: IpcError | null; content: string }>({ problem: null, content });
  if (refusal.problem !== problem) setRefusal({ problem, content });
  const all = new Map<string, string>();
  // What the host said of another text is of no use for this one.
  const known = rested === content ? data : [];
  for (const { field, message } of refusal.content === content ? [...known, ...refused(problem)] : known)
    all.set(field, capital(sentence(message, i18n.language)));
  for (const [field, text] of quick) all.set(field, text);
  return all;
}
