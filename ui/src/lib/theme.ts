// Light or dark, by choice or by the system.
import type { Theme } from "@/ipc/bindings/Theme";
import { recall, remember } from "./remembered";

const dark = matchMedia("(prefers-color-scheme: dark)");
let choice: Theme = "system";

function paint(): void {
  document.documentElement.dataset["theme"] = choice === "system" ? (dark.matches ? "dark" : "light") : choice;
}

/** Applies a theme and saves it for the first frame of the next start. */
export function applyTheme(next: Theme): void {
  choice = next;
  remember("theme", next);
  paint();
}

/** Applies the theme of the last run, before the settings are known. */
export function startTheme(): void {
  const last = recall("theme");
  choice = last === "light" || last === "dark" ? last : "system";
  dark.addEventListener("change", paint);
  paint();
}
