// The first thing in a part of the page that is typed in or chosen: where the keyboard goes once that part is what is
// worked on.

const CONTROLS = "input:not([type=hidden]),textarea,[contenteditable=true],[role=combobox],[role=radio],[role=checkbox],[role=switch]";

/** Whether it takes what is typed. */
export const isTypedIn = (element: Element | null): boolean =>
  element?.matches("input:not([type=checkbox],[type=radio]),textarea,[contenteditable=true]") === true;

/** The control itself; of several choices the one that is chosen, else the first. */
export function firstField(within: ParentNode): HTMLElement | null {
  const control = [...within.querySelectorAll<HTMLElement>("[data-field]")]
    .flatMap((field) => [...field.querySelectorAll<HTMLElement>(CONTROLS)])
    .find((one) => !one.matches(":disabled,[readonly]") && one.closest("[inert]") === null);
  const first = control ?? within.querySelector<HTMLElement>("[contenteditable=true],textarea");
  if (first?.getAttribute("role") !== "radio") return first;
  return first.closest("[role=radiogroup],[role=group]")?.querySelector<HTMLElement>("[role=radio][aria-checked=true]") ?? first;
}
