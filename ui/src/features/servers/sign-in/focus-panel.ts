/** Puts the focus on the open tab: the button that was pressed goes away, and the keyboard shall not start from the top. */
export function focusPanel(): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>("[role=tabpanel][data-state=active]")?.focus());
}
