import { cx } from "@/lib/cx";
import { visibleLine } from "@/lib/untrusted";

/** A server's letter in a square, for the eye: its name stands beside it. */
export function ServerMark({ name, className }: { name: string; className?: string }) {
  const [letter = "?"] = Array.from(visibleLine(name).trim());
  return (
    <span
      aria-hidden
      className={cx(
        "grid size-9 shrink-0 place-items-center rounded-m border border-line bg-selected text-lg font-[620] text-accent uppercase select-none",
        className,
      )}
    >
      {letter}
    </span>
  );
}
