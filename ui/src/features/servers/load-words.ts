// The words for what a local server costs.
import type { TFunction } from "i18next";
import type { Load } from "@/ipc/bindings/Load";
import { formatBytes, formatPercent } from "@/lib/format";

const valuesOf = ({ cpuPercent, memoryBytes, processes }: Load, language: string) => ({
  cpu: formatPercent(cpuPercent, language),
  memory: formatBytes(memoryBytes, language),
  count: processes,
});

/** Processor and memory, for a column: `3% · 84 MiB`. */
export const shortLoad = (load: Load, t: TFunction, language: string): string =>
  t("load.short", { ns: "servers", ...valuesOf(load, language) });

/** The same as a sentence, with the number of processes. */
export const longLoad = (load: Load, t: TFunction, language: string): string =>
  t("load.long", { ns: "servers", ...valuesOf(load, language) });
