// What was chosen in the palette lately, by entry id, the latest first.
import { recall, remember } from "@/lib/remembered";

const KEY = "palette.recent";
const KEPT = 12;

export function recentChoices(): string[] {
  try {
    const kept: unknown = JSON.parse(recall(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter((id) => typeof id === "string") : [];
  } catch {
    return []; // written by hand or by another version: begin anew
  }
}

export function rememberChoice(id: string): void {
  remember(KEY, JSON.stringify([id, ...recentChoices().filter((other) => other !== id)].slice(0, KEPT)));
}
