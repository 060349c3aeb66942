// Moves through the rows of a table with arrow keys or j and k, and opens them with Enter.
import { type KeyboardEvent, type RefObject, useEffect } from "react";
import { useShortcut } from "./shortcuts";

/** Whether a key was pressed on a row, and not on another control or nowhere, because removing means a row. */
export function pressedOnRow({ target }: Event): boolean {
  return target instanceof Element && target.closest("[role=grid]") !== null;
}

/** Keeps the selected row visible and focused. Returns the key handler of the table. */
export function useRowWalk({
  rows,
  chosen,
  count,
  onStep,
  onOpen,
}: {
  /** The element around the rows. */
  rows: RefObject<HTMLElement | null>;
  chosen: number | null;
  count: number;
  onStep: (by: number) => void;
  onOpen: (id: number) => void;
}): (event: KeyboardEvent) => void {
  // The selected row stays visible, and gets the focus if another row had it.
  useEffect(() => {
    const around = rows.current;
    const row = around?.querySelector<HTMLElement>("[aria-selected=true]");
    row?.scrollIntoView({ block: "nearest" });
    if (chosen !== null && row && around?.contains(document.activeElement)) row.focus({ preventScroll: true });
  }, [rows, chosen]);

  const walk = (by: number) => () => {
    // From now on a row has the focus, so that Enter opens it.
    rows.current?.querySelector<HTMLElement>("tr[tabindex='0']")?.focus({ preventScroll: true });
    onStep(by);
  };
  useShortcut("j", walk(1), { repeats: true });
  useShortcut("k", walk(-1), { repeats: true });

  return (event) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -count, End: count };
    const by = steps[event.key];
    if (by !== undefined) {
      event.preventDefault();
      onStep(by);
    } else if (event.key === "Enter" && chosen !== null) {
      event.preventDefault();
      onOpen(chosen);
    }
  };
}
