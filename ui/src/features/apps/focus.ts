// Where the keyboard goes after a dialog whose trigger it took away.
import { enterScreen } from "@/lib/enter-screen";

/** Puts the keyboard on the chosen row once the dialog has gone; a pane over the list keeps it. */
export function enterListSoon(): void {
  requestAnimationFrame(() => {
    if (document.querySelector("[role=dialog]") === null) enterScreen();
  });
}
