// Moves the focus when a row of a list is removed.
import { type RefObject, useLayoutEffect, useRef } from "react";

const buttonsOf = (row: Element | null) => [...(row?.querySelectorAll("button") ?? [])];

/** The next row on this side, skipping headings. */
function neighbour(row: Element | null, side: "nextElementSibling" | "previousElementSibling"): Element | null {
  let beside = row?.[side] ?? null;
  while (beside?.matches("[data-heading]")) beside = beside[side];
  return beside;
}

/** For a row that may be removed with the focus: focuses the next row, or its same button. */
export function useFocusPassedOn<E extends HTMLElement>(): RefObject<E | null> {
  const ref = useRef<E>(null);
  useLayoutEffect(() => {
    const row = ref.current;
    return () => {
      const beside = neighbour(row, "nextElementSibling") ?? neighbour(row, "previousElementSibling");
      if (!(beside instanceof HTMLElement)) return;
      const buttons = buttonsOf(row);
      const at = buttons.findIndex((button) => button === document.activeElement);
      if (row === document.activeElement) beside.focus({ preventScroll: true });
      // Counted from the end, because the remove button is always last.
      else if (at >= 0)
        buttonsOf(beside)
          .at(at - buttons.length)
          ?.focus();
    };
  }, []);
  return ref;
}
