// Which columns of a list have room next to its names: columns are dropped by importance, names stay.
import { type RefObject, useLayoutEffect, useRef, useState } from "react";

/** The least room for a name in every list (px). */
export const NAME_ROOM = 160;

export interface Column<Id extends string> {
  readonly id: Id;
  /** In px. */
  readonly width: number;
  /** The least width before it is dropped (px). */
  readonly least?: number;
}

/** The columns that fit into `room` (px), by importance, with their widths. */
export function fittingColumns<Id extends string>(byWorth: readonly Column<Id>[], room: number): ReadonlyMap<Id, number> {
  const found = new Map<Id, number>();
  // Widths and cells are rounded to whole px, so one may be missing.
  let left = room - 1;
  for (const { id, width, least = width } of byWorth) {
    if (left < least) continue;
    const given = Math.min(width, left);
    found.set(id, given);
    left -= given;
  }
  return found;
}

/** The last widths by key, so that a list is drawn with the right width immediately. */
const widths = new Map<string, number>();
export const lastWidth = (name: string): number | undefined => widths.get(name);
export function keepWidth(name: string, width: number): void {
  widths.set(name, width);
}

/** The width of an element in CSS px, which are larger in a zoomed window. Infinite until it is known. */
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
    // Measuring forces a layout, which is due anyway. If a width is known, the observer reports changes.
    if (!widths.has(name)) measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [name]);
  return [ref, width];
}

/** Resets the widths, for tests. */
export function forgetWidths(): void {
  widths.clear();
}
