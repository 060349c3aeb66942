// The parts of the filter that are chosen from lists: their names and values.
import { type ActivitySearch, DIRECTIONS, KINDS, listOf, OUTCOMES, switched, without } from "../search";
import type { Translate } from "../words/event-words";
import { formatMs } from "@/lib/format";
import { appName } from "@/lib/callers";
import { visibleLine } from "@/lib/untrusted";
import type { LogFacets } from "@/ipc/bindings/LogFacets";

export const FACETS = ["server", "app", "direction", "method", "kind", "outcome", "took"] as const;
export type Facet = (typeof FACETS)[number];

/** Facets with several values. */
export const isList = (facet: Facet): facet is "kind" | "outcome" => facet === "kind" || facet === "outcome";

/** The choices for the least duration, in milliseconds. */
const TOOK = [100, 1_000, 10_000, 60_000];

export interface Choice {
  readonly value: string;
  readonly label: string;
  /** Machine text. */
  readonly code: boolean;
}

/** The values of a facet. A chosen value is listed even if no row has it. */
export function choicesOf(facet: Facet, facets: LogFacets, search: ActivitySearch, t: Translate, language: string): Choice[] {
  switch (facet) {
    case "server":
      return known(facets.sources, search.server).map((value) => ({ value, label: visibleLine(value), code: false }));
    case "app":
      return known(facets.apps, search.app).map((value) => ({ value, label: appName(value), code: false }));
    case "method":
      return known(facets.methods, search.method).map((value) => ({ value, label: visibleLine(value), code: true }));
    case "direction":
      return DIRECTIONS.map((value) => ({ value, label: t(`direction.${value}`), code: false }));
    case "kind":
      return KINDS.map((value) => ({ value, label: t(`kind.${value}`), code: false }));
    case "outcome":
      return OUTCOMES.map((value) => ({ value, label: t(`outcome.${value}`), code: false }));
    case "took":
      return known(TOOK, search.took).map((ms) => ({
        value: String(ms),
        label: t("filter.atLeast", { time: formatMs(ms, language) }),
        code: false,
      }));
    default:
      return facet satisfies never;
  }
}

function known<T>(values: readonly T[], chosen: T | undefined): readonly T[] {
  return chosen === undefined || values.includes(chosen) ? values : [chosen, ...values];
}

/** The chosen values of a facet. Empty means all. */
export function chosenOf(facet: Facet, search: ActivitySearch): readonly string[] {
  if (isList(facet)) return listOf(facet, search);
  const value = search[facet];
  return value === undefined ? [] : [String(value)];
}

/** The filter with a value toggled. Lists collect values, other facets replace them. */
export function toggled(facet: Facet, value: string, search: ActivitySearch): ActivitySearch {
  if (isList(facet)) return switched(facet, value, search);
  if (chosenOf(facet, search).includes(value)) return without(search, facet);
  if (facet === "took") return { ...search, took: Number(value) };
  if (facet === "direction") {
    const direction = DIRECTIONS.find((known) => known === value);
    return direction ? { ...search, direction } : search;
  }
  // A name replaces a server that was chosen by id.
  return { ...(facet === "server" ? without(search, "serverId") : search), [facet]: value };
}
