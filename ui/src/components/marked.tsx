import { createContext, Fragment, useContext } from "react";
import { runsAround } from "@/lib/needle";

const Searched = createContext("");

/** What was searched for: it is marked in the texts below. */
export const Needle = Searched.Provider;

/** What was searched for, or nothing. */
export const useNeedle = (): string => useContext(Searched);

/** A text in which what was searched for is marked. */
export function Marked({ text }: { text: string }) {
  const needle = useNeedle();
  if (needle === "") return text;
  return runsAround(text, needle).map((run, index) => (
    <Fragment key={index}>{index % 2 === 0 ? run : <mark className="rounded-xs bg-warn-soft text-fg">{run}</mark>}</Fragment>
  ));
}
