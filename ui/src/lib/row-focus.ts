// The focus when a row of a list goes.
import { type RefObject, useLayoutEffect, useRef } from "react";

const buttonsOf = (row: Element | null) => [...(row?.querySelectorAll("button") ?? [])];

/** The next row on this side, past headings. */
function neighbour(row: Element | null, side: "nextElementSibling" | "previousElementSibling"): Element | null {
  let beside = row?.[side] ?? null;
  while (beside?.matches("[data-heading]")) beside = beside[side];
  return beside;
}

/** For a row that may go while it or one of its buttons has the focus: the row beside it, or its same button, has it then. */
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
      // Counted from the end: what removes is the last one everywhere.
      else if (at >= 0)
        buttonsOf(beside)
          .at(at - buttons.length)
          ?.focus();
    };
  }, []);
  return ref;
}
