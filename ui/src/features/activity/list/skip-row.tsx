import { ChevronsUpDown } from "lucide-react";
import { Icon } from "@/components/icon";
import { formatCount } from "@/lib/format";
import type { Skip } from "../feed/timeline";
import type { Translate } from "../words/event-words";

/** A gap of rows that were not sent. Scrolling near it, or a click, fills it. */
export function SkipRow({
  skip,
  index,
  top,
  language,
  t,
  onFill,
}: {
  skip: Skip;
  index: number;
  top: number;
  language: string;
  t: Translate;
  onFill: () => void;
}) {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className="absolute inset-x-0 top-0 flex h-[27px] items-center border-b border-line bg-sunken px-3.5 text-fg-3"
      style={{ transform: `translateY(${top}px)` }}
    >
      <span role="gridcell" className="flex min-w-0 flex-1 items-center gap-2.5">
        <span className="h-px flex-1 bg-line-strong" />
        <button
          type="button"
          tabIndex={-1}
          onClick={onFill}
          className="flex items-center gap-1.5 rounded-s px-1.5 text-xs font-medium hover:text-fg"
        >
          <Icon of={ChevronsUpDown} size={12} />
          {t("list.skipped", { count: skip.count, shown: formatCount(skip.count, language) })}
        </button>
        <span className="h-px flex-1 bg-line-strong" />
      </span>
    </div>
  );
}
