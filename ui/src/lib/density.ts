// How close together things stand.
import type { Density } from "@/ipc/bindings/Density";
import { recall, remember } from "./remembered";

/** Puts a density in force and remembers it for the first frame of the next start. */
export function applyDensity(next: Density): void {
  remember("density", next);
  document.documentElement.dataset["density"] = next;
}

/** Before the settings are known: the density of the last run. */
export function startDensity(): void {
  document.documentElement.dataset["density"] = recall("density") === "compact" ? "compact" : "comfortable";
}
