// The values that the person enters for imported servers, and the servers with these values.
import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import type { ImportEntry } from "@/ipc/bindings/ImportEntry";
import { filledImport, type ImportSource } from "@/ipc/queries";
import { enteredValues, type ImportValues, needsValues, previewValues } from "./import-values";
import { useDebounced } from "./use-debounced";

/** The entries of a text or an app that are imported. */
export interface Imported {
  readonly source: ImportSource;
  readonly entries: readonly ImportEntry[];
}

export function useImportValues(imported: readonly Imported[]) {
  const [values, setValues] = useState<ImportValues>(new Map());
  /** Whether missing values are marked. */
  const [tried, setTried] = useState(false);
  const rested = useDebounced(values, 200);
  const checks = useQueries({ queries: imported.map(({ source, entries }) => filledImport(source, previewValues(entries, rested))) });
  const entries = imported.flatMap((one, index) =>
    one.entries.map((entry) => checks[index]?.data?.find(({ name }) => name === entry.name) ?? entry),
  );
  /** The entries with their values. Secrets that are asked for need no reminder. */
  const fill = (all: readonly ImportEntry[]): ImportEntry[] =>
    all.map((entry) => {
      const filled = entries.find(({ name }) => name === entry.name && entry.server !== null);
      if (filled?.server == null || filled.inputs.length === 0) return entry;
      return { ...filled, server: { ...filled.server, secrets: [] } };
    });
  const isReady = (): boolean => {
    setTried(true);
    const ready = !needsValues(entries, values);
    if (!ready) requestAnimationFrame(() => document.querySelector<HTMLElement>("[role=dialog] form [aria-invalid]")?.focus());
    return ready;
  };
  return {
    /** The entries that ask for values. */
    asking: entries.filter(({ inputs }) => inputs.length > 0),
    values,
    setValues,
    tried,
    fill,
    /** Marks what is missing or wrong, if anything, and focuses the first. */
    isReady,
    entered: (some: readonly ImportEntry[]) => enteredValues(some, values),
  };
}
