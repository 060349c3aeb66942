import { createContext, Fragment, useContext } from "react";
import { runsAround } from "@/lib/needle";

const Searched = createContext("");

/** The search text, which is marked in the texts below. */
export const Needle = Searched.Provider;

/** The search text, or an empty string. */
export const useNeedle = (): string => useContext(Searched);

/** A text with the search text marked. */
export function Marked({ text }: { text: string }) {
  const needle = useNeedle();
  if (needle === "") return text;
  return runsAround(text, needle).map((run, index) => (
    <Fragment key={index}>{index % 2 === 0 ? run : <mark className="rounded-xs bg-warn-soft text-fg">{run}</mark>}</Fragment>
  ));
}
