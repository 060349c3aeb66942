// Which columns a list has room for beside its names: they leave by their worth, the names stay.
import { type RefObject, useLayoutEffect, useRef, useState } from "react";

/** A name has at least so much room in every list (px). */
export const NAME_ROOM = 160;

export interface Column<Id extends string> {
  readonly id: Id;
  /** In px. */
  readonly width: number;
  /** It may be as narrow as this before it leaves (px). */
  readonly least?: number;
}

/** The columns that fit into `room` (px), by worth, each with its width. */
export function fittingColumns<Id extends string>(byWorth: readonly Column<Id>[], room: number): ReadonlyMap<Id, number> {
  const found = new Map<Id, number>();
  // Widths and cells are rounded to whole px: one may be missing.
  let left = room - 1;
  for (const { id, width, least = width } of byWorth) {
    if (left < least) continue;
    const given = Math.min(width, left);
    found.set(id, given);
    left -= given;
  }
  return found;
}

/** The last widths, by the name of what had them: what comes again is drawn for it at once. */
const widths = new Map<string, number>();
export const lastWidth = (name: string): number | undefined => widths.get(name);
export function keepWidth(name: string, width: number): void {
  widths.set(name, width);
}

/** The width of an element in the page's px, which are larger where the window is zoomed; without bound until it is known. */
export function useWidth<E extends HTMLElement>(name: string): [RefObject<E | null>, number] {
  const ref = useRef<E>(null);
  const [width, setWidth] = useState(lastWidth(name) ?? Number.POSITIVE_INFINITY);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = () => {
      const now = element.clientWidth;
      if (now === 0) return;
      keepWidth(name, now);
      setWidth(now);
    };
    // To ask lays the page out, which is about to be done anyway; where a width is known the observer can tell of another.
    if (!widths.has(name)) measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [name]);
  return [ref, width];
}

/** For tests: as if the window had just opened. */
export function forgetWidths(): void {
  widths.clear();
}
