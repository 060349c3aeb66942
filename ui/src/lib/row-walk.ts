// Rows of a table that are walked with the arrows or j and k, and opened with Enter.
import { type KeyboardEvent, type RefObject, useEffect } from "react";
import { useShortcut } from "./shortcuts";

/** Whether a key was pressed on a row, and not on a control beside the table or nowhere: one that removes means a row. */
export function pressedOnRow({ target }: Event): boolean {
  return target instanceof Element && target.closest("[role=grid]") !== null;
}

/** Keeps the chosen row in sight and the focus on it; gives what the keys in the table do. */
export function useRowWalk({
  rows,
  chosen,
  count,
  onStep,
  onOpen,
}: {
  /** What is around the rows. */
  rows: RefObject<HTMLElement | null>;
  chosen: number | null;
  count: number;
  onStep: (by: number) => void;
  onOpen: (id: number) => void;
}): (event: KeyboardEvent) => void {
  // The chosen row stays in view, and keeps the focus when a row had it.
  useEffect(() => {
    const around = rows.current;
    const row = around?.querySelector<HTMLElement>("[aria-selected=true]");
    row?.scrollIntoView({ block: "nearest" });
    if (chosen !== null && row && around?.contains(document.activeElement)) row.focus({ preventScroll: true });
  }, [rows, chosen]);

  const walk = (by: number) => () => {
    // From here on a row has the focus, so that Enter opens the one that is reached.
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
