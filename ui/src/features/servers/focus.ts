/** So many frames a tab may take until it is there. */
const FRAMES = 30;

/** Puts the focus on what matches once it is there: the button that was pressed goes away, and the keyboard shall not start from the top. */
function focusSoon(selector: string, left = FRAMES): void {
  requestAnimationFrame(() => {
    const found = document.querySelector<HTMLElement>(selector);
    if (found) found.focus();
    else if (left > 0) focusSoon(selector, left - 1);
  });
}

/** Puts the focus on the open tab. */
export const focusPanel = (): void => focusSoon("[role=tabpanel][data-state=active]");

/** Puts the focus on the first field of the open tab. */
export const focusFirstField = (): void => focusSoon("[role=tabpanel][data-state=active] [data-first]");

/** Puts the focus on the first field of an open form that is wrong. */
export const focusProblem = (): void => focusSoon("[role=dialog] form [aria-invalid]");

/** Puts the focus on the chosen server in the list. */
export const focusChosenRow = (): void => focusSoon("[role=grid] [aria-selected=true]");

/** Whether something happened on the chosen server in the list. */
export const isOnChosenRow = ({ target }: Event): boolean => target instanceof Element && target.closest("[aria-selected=true]") !== null;

/** Puts the focus on a value in the open tab that looks like a secret and isn't encrypted. */
export const focusPlainSecret = (): void => focusSoon("[role=tabpanel][data-state=active] [data-pair] input[aria-describedby]");

/** Puts the focus on a value in the open tab that the server lacks. */
export const focusMissingValue = (): void => focusSoon("[role=tabpanel][data-state=active] [data-missing]");
