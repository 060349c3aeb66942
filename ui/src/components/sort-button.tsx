import { ArrowDown, ArrowUp } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "@/lib/cx";
import { Icon } from "./icon";

export type SortDirection = "ascending" | "descending";

/** The next direction after a press: ascending, descending, none. */
export const nextDirection = (now: SortDirection | null): SortDirection | null =>
  now === null ? "ascending" : now === "ascending" ? "descending" : null;

/** The header of a column that sorts by it. The cell around it has the `aria-sort`. */
export function SortButton({
  direction,
  title,
  numeric = false,
  onSort,
  className,
  children,
}: {
  direction: SortDirection | null;
  title: string;
  numeric?: boolean;
  onSort: (direction: SortDirection | null) => void;
  className?: string;
  children: ReactNode;
}) {
  return (
    <button
      type="button"
      title={title}
      onClick={() => onSort(nextDirection(direction))}
      className={cx(
        "inset-focus flex min-w-0 flex-1 items-center gap-1 text-xs font-[560] hover:text-fg",
        direction === null ? "text-fg-3" : "text-fg",
        numeric && "justify-end",
        className,
      )}
    >
      <span className="truncate">{children}</span>
      {direction !== null && <Icon of={direction === "descending" ? ArrowDown : ArrowUp} size={12} className="shrink-0" />}
    </button>
  );
}
