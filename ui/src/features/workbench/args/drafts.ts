// The drafts of all tools, in memory while the window runs.
import type { FormModel } from "@/lib/schema/model";
import { KeyedStore, useKeyed } from "@/lib/keyed-store";
import { keepCall } from "../open-calls";
import { targetKey } from "../target";
import { type Draft, draftFrom, newDraft } from "@/components/form/draft";

const drafts = new KeyedStore<Draft>();
const toolKey = (server: number, tool: string) => targetKey(server, { kind: "tool", name: tool });

/** The draft of a tool, which is new the first time. */
export function useDraft(server: number, tool: string, model: FormModel): Draft {
  const kept = useKeyed(drafts, toolKey(server, tool));
  return kept ?? newDraft(model);
}

/** Changes a draft. Creates it from the model if there is none yet. */
export function changeDraft(server: number, tool: string, model: FormModel, change: (draft: Draft) => Draft): Draft {
  const key = toolKey(server, tool);
  const before = drafts.get(key) ?? newDraft(model);
  const next = change(before);
  drafts.set(key, next);
  const edited = next.text !== before.text || next.parts !== before.parts;
  if (edited || next.revealed) keepCall(server, { kind: "tool", name: tool }, edited ? true : undefined);
  return next;
}

/** Restores the arguments of an earlier call in the draft. */
export function restoreArguments(server: number, tool: string, text: string): void {
  drafts.set(toolKey(server, tool), draftFrom(text));
}

/** Resets the draft. */
export function resetDraft(server: number, tool: string, model: FormModel): void {
  drafts.set(toolKey(server, tool), newDraft(model));
}

/** Removes all drafts, for tests. */
export function forgetDrafts(): void {
  drafts.clear();
}
