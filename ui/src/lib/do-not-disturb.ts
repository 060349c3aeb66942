// When desktop notifications are turned off.
import type { DoNotDisturb } from "@/ipc/bindings/DoNotDisturb";

export const quietChoices = ["off", "hour", "tomorrow", "always"] as const;
type QuietChoice = (typeof quietChoices)[number];

/** The hour at which notifications resume tomorrow. */
const MORNING = 8;

/** The setting for a choice. */
export function quietUntil(choice: QuietChoice, now: number): DoNotDisturb {
  if (choice === "off" || choice === "always") return choice;
  if (choice === "hour") return { until: now + 3_600_000 };
  const morning = new Date(now);
  morning.setDate(morning.getDate() + 1);
  return { until: morning.setHours(MORNING, 0, 0, 0) };
}

/** Whether notifications are turned off now. */
export const isQuiet = (value: DoNotDisturb, now: number): boolean => (typeof value === "object" ? now < value.until : value === "always");
