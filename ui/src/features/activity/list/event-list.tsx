import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { useTranslation } from "react-i18next";
import type { LogRow } from "@/ipc/bindings/LogRow";
import { keepWidth, lastWidth } from "@/lib/columns";
import { cx } from "@/lib/cx";
import { useShortcut } from "@/lib/shortcuts";
import { useDelayed } from "@/lib/use-delayed";
import type { Feed } from "../feed/feed";
import { type Item, isSkip } from "../feed/timeline";
import { useFeedState } from "../feed/use-feed";
import { dayOf, formatDay } from "../format";
import { EventRow } from "./event-row";
import { eventAt, fold, lineOf, unfolded } from "./fold";
import { cell, columnsFor, hasSize, hasSource, HEAD_HEIGHT, line, ROW_HEIGHT, roomFor } from "./layout";
import { SkipRow } from "./skip-row";

const OVERSCAN = 8;
/** The key under which the list's width is saved. */
const WIDTH = "events";
/** Rounds widths, so that texts aren't truncated again for every px. */
const inSteps = (width: number) => Math.ceil(width / 60) * 60;
/** Following shows the end without scrolling. */
const LIVE_OVERSCAN = 2;

/**
 * The virtual list. While following it shows the last rows whatever the scroll position is, so that a batch never
 * paints a gap. Otherwise the reader's row stays in place when rows above it are added or removed.
 */
export function EventList({
  feed,
  gridRef,
  folding,
  cursor,
  onCursor,
  onOpen,
  children,
}: {
  feed: Feed;
  gridRef: RefObject<HTMLDivElement | null>;
  /** Whether answers are in the lines of their requests. */
  folding: boolean;
  cursor: number | null;
  onCursor: (row: LogRow) => void;
  onOpen: (row: LogRow) => void;
  /** Shown if there are no rows. */
  children: ReactNode;
}) {
  // The virtualizer returns the same object with different contents, so nothing here may be memoized by identity.
  "use no memo";
  const { t, i18n } = useTranslation(["activity", "common"]);
  const events = useFeedState(feed, (snapshot) => snapshot.items);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const lines = useMemo(() => (folding ? fold(events, open) : unfolded(events)), [events, folding, open]);
  const { items } = lines;
  // The selected row must be visible.
  const hiding = cursor === null ? undefined : lines.requests.get(cursor);
  if (hiding !== undefined && !open.has(hiding)) setOpen(new Set([...open, hiding]));
  const live = useFeedState(feed, (snapshot) => snapshot.mode === "live");
  const loading = useFeedState(feed, (snapshot) => snapshot.loading);
  const reveal = useFeedState(feed, (snapshot) => snapshot.reveal);
  const stale = useDelayed(loading && items.length > 0);
  /** The last scroll position set by following. Any other position comes from the reader. */
  const stuck = useRef({ top: 0, height: 0, view: 0 });
  /** The last scroll position, and whether the reader caused it. */
  const hand = useRef({ top: 0, moving: true });

  // oxlint-disable-next-line react/incompatible-library -- hence "use no memo"
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => gridRef.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => anchorKey(items, index),
    overscan: OVERSCAN,
    scrollMargin: HEAD_HEIGHT,
    anchorTo: live ? "start" : "end",
    useFlushSync: false,
    rangeExtractor: ({ startIndex, endIndex, count }) => {
      const shown = endIndex - startIndex + 1;
      const from = live ? count - shown - LIVE_OVERSCAN : startIndex - OVERSCAN;
      const to = live ? count - 1 : endIndex + OVERSCAN;
      return indices(Math.max(0, from), Math.min(count - 1, to));
    },
  });

  const stick = () => {
    const grid = gridRef.current;
    if (!grid || !live) return;
    grid.scrollTop = grid.scrollHeight;
    stuck.current = { top: grid.scrollTop, height: grid.scrollHeight, view: grid.clientHeight };
  };
  useLayoutEffect(stick);
  const [width, setWidth] = useState(inSteps(lastWidth(WIDTH) ?? 0));
  const [columns, setColumns] = useState(columnsFor(lastWidth(WIDTH) ?? 0));
  const onResize = useEffectEvent((width: number) => {
    keepWidth(WIDTH, width);
    setColumns(columnsFor(width));
    setWidth(inSteps(width));
    stick();
  });
  useEffect(() => {
    const grid = gridRef.current;
    if (!grid) return;
    const observer = new ResizeObserver(() => onResize(grid.clientWidth));
    observer.observe(grid);
    return () => observer.disconnect();
  }, [gridRef]);

  /** Scrolls to a row by position, because its index may change before the virtualizer is done. */
  const bring = (index: number, where: "near" | "center") => {
    const grid = gridRef.current;
    if (!grid) return;
    hand.current.moving = false;
    const view = grid.clientHeight - HEAD_HEIGHT;
    const top = index * ROW_HEIGHT;
    if (where === "center") grid.scrollTop = top - (view - ROW_HEIGHT) / 2;
    else grid.scrollTop = Math.min(top, Math.max(grid.scrollTop, top + ROW_HEIGHT - view));
  };
  useLayoutEffect(() => {
    if (reveal) bring(lineOf(lines, reveal.id), "center");
    // Once per request, whatever else has changed.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [reveal]);

  useEffect(() => {
    const grid = gridRef.current;
    // Until the virtualizer knows the new position, it would keep the wrong row in place.
    if (!grid || Math.abs((virtualizer.scrollOffset ?? 0) - grid.scrollTop) > 1) return;
    const top = grid.scrollTop / ROW_HEIGHT;
    const last = Math.floor(top + (grid.clientHeight - HEAD_HEIGHT) / ROW_HEIGHT);
    feed.see(eventAt(lines, Math.floor(top), events), eventAt(lines, last, events));
  });

  const onScroll = () => {
    const grid = gridRef.current;
    if (!grid) return;
    const down = grid.scrollTop > hand.current.top;
    hand.current.top = grid.scrollTop;
    if (live) {
      const { top, height, view } = stuck.current;
      const same = height === grid.scrollHeight && view === grid.clientHeight;
      if (same && grid.scrollTop < top - 2) feed.leave();
    } else if (down && hand.current.moving && grid.scrollHeight - grid.scrollTop - grid.clientHeight < 2) feed.arrive();
  };
  const onWheel = (up: boolean) => {
    const grid = gridRef.current;
    hand.current.moving = true;
    if (up && grid && grid.scrollHeight > grid.clientHeight) feed.leave();
  };

  const at = cursor === null ? -1 : lineOf(lines, cursor);
  const chosen = items[at];
  const shown = chosen !== undefined && chosen.id === cursor;

  const move = (to: number, step: 1 | -1) => {
    let index = Math.min(items.length - 1, Math.max(0, to));
    let item = items[index];
    while (item && isSkip(item)) {
      index += step;
      item = items[index];
    }
    if (!item) return;
    feed.leave();
    onCursor(item);
    bring(index, "near");
  };
  /** Expands or collapses a request's answer. On an answer, its request. */
  const toggle = (row: LogRow, unfold?: boolean) => {
    const id = lines.requests.get(row.id) ?? row.id;
    const request = items.find((item) => item.id === id);
    if (!request || isSkip(request) || !lines.answers.has(id) || open.has(id) === unfold) return;
    feed.leave();
    onCursor(request);
    const next = new Set(open);
    if (!next.delete(id)) next.add(id);
    setOpen(next);
  };
  const fromKey = (unfold: boolean) => () => {
    if (chosen && shown && !isSkip(chosen)) toggle(chosen, unfold);
  };
  const page = () => Math.max(1, Math.floor(((gridRef.current?.clientHeight ?? 0) - HEAD_HEIGHT) / ROW_HEIGHT) - 1);
  const moves: Record<string, () => void> = {
    ArrowDown: () => move(at === -1 ? items.length - 1 : at + (shown ? 1 : 0), 1),
    ArrowUp: () => move(at === -1 ? items.length - 1 : at - 1, -1),
    PageDown: () => move(at === -1 ? items.length - 1 : at + page(), 1),
    PageUp: () => move(at === -1 ? items.length - 1 - page() : at - page(), -1),
    Home: () => move(0, 1),
    End: () => feed.resume(),
    ArrowRight: fromKey(true),
    ArrowLeft: fromKey(false),
    Enter: () => {
      if (chosen && shown && !isSkip(chosen)) onOpen(chosen);
    },
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const act = event.target === event.currentTarget && !event.ctrlKey && !event.metaKey && !event.altKey ? moves[event.key] : undefined;
    if (!act) return;
    event.preventDefault();
    act();
  };

  const shortcut = (key: string) => () => {
    gridRef.current?.focus({ preventScroll: true });
    moves[key]?.();
  };
  useShortcut("j", shortcut("ArrowDown"), { repeats: true });
  useShortcut("k", shortcut("ArrowUp"), { repeats: true });
  useShortcut("g", shortcut("End"));
  useShortcut("shift+g", shortcut("End"));
  useShortcut("end", shortcut("End"));

  const rows = virtualizer.getVirtualItems();
  // A new visible row reuses the element of a removed one, so that a flood creates no elements.
  const slot = (index: number) => index % Math.max(1, rows.length);
  const top = timeAt(items, live ? items.length - 1 : (virtualizer.range?.startIndex ?? 0));
  const day = top === 0 ? null : dayOf(top);
  const today = dayOf(Date.now() * 1_000);
  return (
    <>
      <div
        ref={gridRef}
        role="grid"
        // The grid is one Tab stop, and arrow keys move within it.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        aria-label={t("list.label")}
        aria-rowcount={items.length + 1}
        aria-busy={loading}
        aria-activedescendant={shown && rows.some((row) => row.index === at) ? `event-${cursor}` : undefined}
        data-mode={live ? "live" : "frozen"}
        onScroll={onScroll}
        onWheel={(event) => onWheel(event.deltaY < 0)}
        onPointerDown={() => onWheel(false)}
        onKeyDown={onKeyDown}
        onClick={(event) => {
          const row = rowOf(items, event.target);
          if (!row) return;
          if (event.target instanceof Element && event.target.closest("[data-fold]")) toggle(row);
          else onOpen(row);
        }}
        className="group/grid relative min-h-0 flex-1 overflow-x-hidden overflow-y-scroll [overflow-anchor:none] focus-visible:outline-1 focus-visible:-outline-offset-1 focus-visible:aria-[activedescendant]:outline-none"
      >
        <div
          role="row"
          aria-rowindex={1}
          className={cx(line, "sticky top-0 z-10 h-[30px] border-b border-line bg-surface text-xs text-fg-3")}
        >
          {columns !== "none" && (
            <span role="columnheader" className={cell.time}>
              {day !== null && day !== today ? formatDay(top, i18n.language) : t("list.time")}
            </span>
          )}
          <span role="columnheader" className={cell.mark}>
            <span className="sr-only">{t("list.direction")}</span>
          </span>
          {hasSource(columns) && (
            <span role="columnheader" className={cell.source}>
              {t("list.server")}
            </span>
          )}
          <span role="columnheader" className={cell.event}>
            {t("list.event")}
          </span>
          {columns === "method" && (
            <span role="columnheader" className={cell.method}>
              {t("facet.method")}
            </span>
          )}
          {hasSize(columns) && (
            <span role="columnheader" className={cell.size}>
              {t("list.size")}
            </span>
          )}
          {(hasSize(columns) || columns === "took") && (
            <span role="columnheader" className={cell.took}>
              {t("list.took")}
            </span>
          )}
        </div>
        <div
          role="rowgroup"
          className={cx("relative transition-opacity", stale && "opacity-50")}
          style={{ height: virtualizer.getTotalSize() }}
        >
          {rows.map(({ index, start }) => {
            const item = items[index];
            if (!item) return null;
            const offset = start - HEAD_HEIGHT;
            if (isSkip(item)) {
              return (
                <SkipRow
                  key={slot(index)}
                  skip={item}
                  index={index}
                  top={offset}
                  language={i18n.language}
                  t={t}
                  onFill={() => feed.leave()}
                />
              );
            }
            const before = items[index - 1];
            const newDay = before !== undefined && !isSkip(before) && dayOf(before.at) !== dayOf(item.at);
            return (
              <EventRow
                key={slot(index)}
                row={item}
                answer={lines.answers.get(item.id) ?? null}
                fold={!lines.answers.has(item.id) ? null : open.has(item.id) ? "open" : "closed"}
                nested={lines.requests.has(item.id)}
                index={index}
                top={offset}
                chosen={item.id === cursor}
                newDay={newDay}
                room={roomFor(width)}
                columns={columns}
                language={i18n.language}
                t={t}
              />
            );
          })}
        </div>
      </div>
      {items.length === 0 && <div className="absolute inset-x-0 top-7.5 bottom-0 flex flex-col overflow-y-auto">{children}</div>}
    </>
  );
}

/**
 * The key of the reader's position when rows are added or removed: the row's id. For a gap it is the row after it,
 * because the gap disappears when it is filled.
 */
function anchorKey(items: readonly Item[], index: number): number {
  const item = items[index];
  if (!item) return index;
  return isSkip(item) ? (item.before ?? item.id) : item.id;
}

function indices(from: number, to: number): number[] {
  const out: number[] = [];
  for (let index = from; index <= to; index += 1) out.push(index);
  return out;
}

/** The time of the row at a position, or 0. */
function timeAt(items: readonly Item[], index: number): number {
  const item = items[index];
  return item && !isSkip(item) ? item.at : 0;
}

/** The row of a click or a menu. */
export function rowOf(items: readonly Item[], target: EventTarget | null): LogRow | null {
  const id = target instanceof Element ? target.closest("[data-event]")?.getAttribute("data-event") : null;
  const item = id ? items.find((candidate) => candidate.id === Number(id)) : undefined;
  return item && !isSkip(item) ? item : null;
}
