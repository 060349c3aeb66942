import type { ReactNode } from "react";
import { cx } from "@/lib/cx";

const tones = {
  plain: "bg-hover text-fg-2",
  ok: "bg-ok-soft text-ok",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
  info: "bg-info-soft text-info",
  wait: "bg-wait-soft text-wait",
} as const;

export type Tone = keyof typeof tones;

/** A small label. Colour is never its only meaning. */
export function Chip({ tone = "plain", className, children }: { tone?: Tone; className?: string; children: ReactNode }) {
  return (
    <span
      className={cx(
        "inline-flex h-5 max-w-full shrink-0 items-center gap-1.25 rounded-full px-1.75 text-xs font-[560] whitespace-nowrap tabular",
        tones[tone],
        className,
      )}
    >
      {children}
    </span>
  );
}
