// The findings that the person accepted, by id. Saved for the next start.
import { useSyncExternalStore } from "react";
import { recall, remember } from "@/lib/remembered";
import { covers, type Finding } from "./findings";

const KEY = "safety.hidden";
const listeners = new Set<() => void>();
let known: { readonly text: string; readonly ids: ReadonlySet<string> } = { text: "[]", ids: new Set() };

function read(text: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter((id) => typeof id === "string") : [];
  } catch {
    return []; // invalid or from another version: nothing is hidden
  }
}

/** The same set as long as its content is the same. */
function hidden(): ReadonlySet<string> {
  const text = recall(KEY) ?? "[]";
  if (text !== known.text) known = { text, ids: new Set(read(text)) };
  return known.ids;
}

/** Hides or shows a finding. */
export function setHidden(id: string, hide: boolean): void {
  const others = [...hidden()].filter((other) => !covers(other, id));
  keep(hide ? [...others, id] : others);
}

/** Forgets accepted findings that no longer exist. */
export function forgetHidden(isGone: (id: string) => boolean): void {
  const left = [...hidden()].filter((id) => !isGone(id));
  if (left.length < hidden().size) keep(left);
}

function keep(ids: readonly string[]): void {
  remember(KEY, JSON.stringify(ids));
  for (const listener of listeners) listener();
}

/** Whether this finding, or a larger one, was accepted. */
export const isHidden = (fine: ReadonlySet<string>, { id }: Finding): boolean => [...fine].some((known) => covers(known, id));

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useHidden = (): ReadonlySet<string> => useSyncExternalStore(subscribe, hidden);
