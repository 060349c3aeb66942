import { Progress } from "radix-ui";
import { cx } from "@/lib/cx";

/** A progress bar. Unknown progress is animated. */
export function ProgressBar({
  value,
  max = 100,
  label,
  tone = "plain",
}: {
  value: number | null;
  max?: number;
  label: string;
  tone?: "plain" | "warn";
}) {
  const share = value === null ? null : Math.min(1, Math.max(0, max > 0 ? value / max : 0));
  const colour = tone === "warn" ? "bg-warn" : "bg-accent";
  return (
    <Progress.Root
      value={share === null ? null : share * 100}
      max={100}
      aria-label={label}
      className="h-1 w-full overflow-hidden rounded-full bg-line"
    >
      {share === null ? (
        <Progress.Indicator className={cx("block h-full w-2/5 animate-travel rounded-full", colour)} />
      ) : (
        <Progress.Indicator className={cx("block h-full origin-left", colour)} style={{ transform: `scaleX(${share})` }} />
      )}
    </Progress.Root>
  );
}
