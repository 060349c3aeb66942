import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useEffect, useEffectEvent, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { DecisionView } from "@/ipc/bindings/DecisionView";
import { cx } from "@/lib/cx";
import { useShortcut } from "@/lib/shortcuts";
import { useNow } from "@/lib/use-now";
import { dayName, isSameDay } from "./days";
import { DecisionSummary } from "./decision-summary";

/** The estimated height of a row. Each is measured. */
const ROW = 56;
/** How many rows before the end the next page is loaded. */
const AHEAD = 20;

/** The decisions by day. Only visible ones are drawn, and the next page is loaded before the end is visible. */
export function DecisionRows({
  list,
  chosen,
  more,
  onMore,
  onChoose,
}: {
  list: readonly DecisionView[];
  chosen: number | undefined;
  /** Whether there are more after the last. */
  more: boolean;
  onMore: () => void;
  onChoose: (id: number) => void;
}) {
  // The virtualizer returns the same object with different contents, so nothing here may be memoized by identity.
  "use no memo";
  const { t, i18n } = useTranslation("inbox");
  const now = useNow(10_000);
  const box = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: list.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    getItemKey: (index) => list[index]?.id ?? index,
    overscan: 8,
    useFlushSync: false,
  });
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const readOn = useEffectEvent(onMore);
  const near = more && last >= list.length - AHEAD;
  useEffect(() => {
    if (near) readOn();
  }, [near, list.length]);

  const at = list.findIndex(({ id }) => id === chosen);
  const step = (by: number) => {
    const next = Math.min(list.length - 1, Math.max(0, at === -1 ? 0 : at + by));
    const decision = list[next];
    if (decision === undefined) return;
    virtualizer.scrollToIndex(next);
    onChoose(decision.id);
  };
  useShortcut("j", () => step(1), { repeats: true });
  useShortcut("k", () => step(-1), { repeats: true });
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -list.length, End: list.length }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    step(by);
  };
  return (
    <div
      ref={box}
      role="listbox"
      aria-label={t("decisions.title")}
      aria-activedescendant={items.some(({ index }) => index === at) ? `decision-${chosen}` : undefined}
      data-start
      tabIndex={0}
      onKeyDown={onKeyDown}
      className="inset-focus min-h-0 flex-1 overflow-y-auto"
    >
      <div role="presentation" className="relative w-full" style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ key, index, start }) => {
          const decision = list[index];
          if (decision === undefined) return null;
          const before = list[index - 1];
          const isFirst = before === undefined || !isSameDay(before.decidedAt, decision.decidedAt);
          const day = `decision-day-${decision.id}`;
          return (
            <div
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              role="presentation"
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              {isFirst && (
                <div id={day} aria-hidden className="border-b border-line bg-sunken px-3.5 py-1 text-sm font-semibold text-fg-3">
                  {dayName(decision.decidedAt, now, i18n.language)}
                </div>
              )}
              {/* The list handles the keys that select a row. */}
              {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events */}
              <div
                id={`decision-${decision.id}`}
                role="option"
                aria-selected={decision.id === chosen}
                aria-setsize={more ? -1 : list.length}
                aria-posinset={index + 1}
                aria-describedby={isFirst ? day : undefined}
                tabIndex={-1}
                onClick={() => onChoose(decision.id)}
                className={cx(
                  "flex items-start gap-2.5 border-b border-line px-3.5 py-2 transition-colors",
                  decision.id === chosen ? "bg-selected" : "hover:bg-hover",
                )}
              >
                <DecisionSummary decision={decision} now={now} />
              </div>
            </div>
          );
        })}
      </div>
    </div>
  );
}
