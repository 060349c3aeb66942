import { Progress } from "radix-ui";

/** How far something is: a known share fills, an unknown one travels. */
export function ProgressBar({ value, max = 100, label }: { value: number | null; max?: number; label: string }) {
  const share = value === null ? null : Math.min(1, Math.max(0, max > 0 ? value / max : 0));
  return (
    <Progress.Root value={share === null ? null : share * 100} max={100} aria-label={label} className="h-1 w-full overflow-hidden rounded-full bg-line">
      {share === null ? (
        <Progress.Indicator className="block h-full w-2/5 animate-travel rounded-full bg-accent" />
      ) : (
        <Progress.Indicator className="block h-full origin-left bg-accent transition-transform" style={{ transform: `scaleX(${share})` }} />
      )}
    </Progress.Root>
  );
}
