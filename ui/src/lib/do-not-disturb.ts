// When desktop notifications are held back.
import type { DoNotDisturb } from "@/ipc/bindings/DoNotDisturb";

export const quietChoices = ["off", "hour", "tomorrow", "always"] as const;
type QuietChoice = (typeof quietChoices)[number];

/** When tomorrow begins, as far as notifications go. */
const MORNING = 8;

/** What a choice means from now on. */
export function quietUntil(choice: QuietChoice, now: number): DoNotDisturb {
  if (choice === "off" || choice === "always") return choice;
  if (choice === "hour") return { until: now + 3_600_000 };
  const morning = new Date(now);
  morning.setDate(morning.getDate() + 1);
  return { until: morning.setHours(MORNING, 0, 0, 0) };
}

/** Whether notifications are held back now. */
export const isQuiet = (value: DoNotDisturb, now: number): boolean => (typeof value === "object" ? now < value.until : value === "always");
