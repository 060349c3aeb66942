// The parts of the filter that are chosen from a list: what they are called and which values there are.
import { type ActivitySearch, DIRECTIONS, KINDS, kindsOf, without, withKinds } from "../search";
import type { Translate } from "../words/event-words";
import { visibleLine } from "@/lib/untrusted";
import type { LogFacets } from "@/ipc/bindings/LogFacets";

export const FACETS = ["server", "direction", "method", "kind"] as const;
export type Facet = (typeof FACETS)[number];

export interface Choice {
  readonly value: string;
  readonly label: string;
  /** Machine text. */
  readonly code: boolean;
}

/** The values of a facet; a chosen one is listed even when no row has it. */
export function choicesOf(facet: Facet, facets: LogFacets, search: ActivitySearch, t: Translate): Choice[] {
  switch (facet) {
    case "server":
      return known(facets.sources, search.server).map((value) => ({ value, label: visibleLine(value), code: false }));
    case "method":
      return known(facets.methods, search.method).map((value) => ({ value, label: visibleLine(value), code: true }));
    case "direction":
      return DIRECTIONS.map((value) => ({ value, label: t(`direction.${value}`), code: false }));
    case "kind":
      return KINDS.map((value) => ({ value, label: t(`kind.${value}`), code: false }));
    default:
      return facet satisfies never;
  }
}

function known(values: readonly string[], chosen: string | undefined): readonly string[] {
  return chosen === undefined || values.includes(chosen) ? values : [chosen, ...values];
}

/** The chosen values of a facet; none means all. */
export function chosenOf(facet: Facet, search: ActivitySearch): readonly string[] {
  if (facet === "kind") return kindsOf(search);
  const value = search[facet];
  return value === undefined ? [] : [value];
}

/** The filter with one value of a facet switched: kinds add up, the others replace each other. */
export function toggled(facet: Facet, value: string, search: ActivitySearch): ActivitySearch {
  const chosen = chosenOf(facet, search).includes(value);
  if (facet === "kind") {
    const kind = KINDS.find((known) => known === value);
    const kinds = kindsOf(search);
    return kind ? withKinds(search, chosen ? kinds.filter((other) => other !== kind) : [...kinds, kind]) : search;
  }
  if (chosen) return without(search, facet);
  if (facet === "direction") {
    const direction = DIRECTIONS.find((known) => known === value);
    return direction ? { ...search, direction } : search;
  }
  // A name takes the place of a server that was chosen by itself.
  return { ...(facet === "server" ? without(search, "serverId") : search), [facet]: value };
}
