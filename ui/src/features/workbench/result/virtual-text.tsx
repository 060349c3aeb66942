import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";
import { UntrustedText } from "@/components/their-voice";
import { cx } from "@/lib/cx";
import { rowsOf } from "./rows";

const LINE = 19;

/** A text of any length in a scrolling box. Only visible rows are drawn. */
export function VirtualText({ text, label, mono, className }: { text: string; label: string; mono: boolean; className?: string }) {
  // The virtualizer returns the same object with different contents, so nothing here may be memoized by identity.
  "use no memo";
  const box = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => rowsOf(text), [text]);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: (index) => LINE * Math.max(1, Math.ceil((rows[index]?.length ?? 0) / 90)),
    overscan: 20,
    useFlushSync: false,
  });
  return (
    <div
      ref={box}
      role="region"
      aria-label={label}
      // It scrolls, so it must be reachable with the keyboard.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      className={cx("selectable inset-focus min-h-0 overflow-y-auto", className)}
    >
      <div className={cx("relative w-full", mono && "mono")} style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => (
          <div
            key={item.key}
            ref={virtualizer.measureElement}
            data-index={item.index}
            className="absolute inset-x-0 top-0 min-h-[19px] px-3 leading-[19px] whitespace-pre-wrap wrap-any"
            style={{ transform: `translateY(${item.start}px)` }}
          >
            <UntrustedText text={rows[item.index] ?? ""} />
          </div>
        ))}
      </div>
    </div>
  );
}
