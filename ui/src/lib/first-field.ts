// The first control of a part of the page, which gets the focus when the person starts to work on it.

const CONTROLS = "input:not([type=hidden]),textarea,[contenteditable=true],[role=combobox],[role=radio],[role=checkbox],[role=switch]";

/** Whether the element accepts typed text. */
export const isTypedIn = (element: Element | null): boolean =>
  element?.matches("input:not([type=checkbox],[type=radio]),textarea,[contenteditable=true]") === true;

/** The control itself. Of several choices, the selected or first one. */
export function firstField(within: ParentNode): HTMLElement | null {
  const control = [...within.querySelectorAll<HTMLElement>("[data-field]")]
    .flatMap((field) => [...field.querySelectorAll<HTMLElement>(CONTROLS)])
    .find((one) => !one.matches(":disabled,[readonly]") && one.closest("[inert]") === null);
  const first = control ?? within.querySelector<HTMLElement>("[contenteditable=true],textarea");
  if (first?.getAttribute("role") !== "radio") return first;
  return first.closest("[role=radiogroup],[role=group]")?.querySelector<HTMLElement>("[role=radio][aria-checked=true]") ?? first;
}
