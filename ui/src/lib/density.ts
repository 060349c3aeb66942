// The density of the layout.
import type { Density } from "@/ipc/bindings/Density";
import { recall, remember } from "./remembered";

/** Applies a density and saves it for the first frame of the next start. */
export function applyDensity(next: Density): void {
  remember("density", next);
  document.documentElement.dataset["density"] = next;
}

/** Applies the density of the last run, before the settings are known. */
export function startDensity(): void {
  document.documentElement.dataset["density"] = recall("density") === "compact" ? "compact" : "comfortable";
}
