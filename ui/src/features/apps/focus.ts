// Moves the focus after a dialog whose trigger is gone.
import { enterScreen } from "@/lib/enter-screen";

/** Focuses the selected row once the dialog is closed, unless a pane covers the list. */
export function enterListSoon(): void {
  requestAnimationFrame(() => {
    if (document.querySelector("[role=dialog]") === null) enterScreen();
  });
}
