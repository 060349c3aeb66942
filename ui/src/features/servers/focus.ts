/** How many frames to wait for a tab. */
const FRAMES = 30;

/** Focuses a matching element once it exists, because the pressed button disappears. */
function focusSoon(selector: string, left = FRAMES): void {
  requestAnimationFrame(() => {
    const found = document.querySelector<HTMLElement>(selector);
    if (found) found.focus();
    else if (left > 0) focusSoon(selector, left - 1);
  });
}

/** Focuses the open tab. */
export const focusPanel = (): void => focusSoon("[role=tabpanel][data-state=active]");

/** Focuses the first field of the open tab. */
export const focusFirstField = (): void => focusSoon("[role=tabpanel][data-state=active] [data-first]");

/** Focuses the first invalid field of an open form. */
export const focusProblem = (): void => focusSoon("[role=dialog] form [aria-invalid]");

/** Focuses the selected server in the list. */
export const focusChosenRow = (): void => focusSoon("[role=grid] [aria-selected=true]");

/** Whether the event happened on the selected server in the list. */
export const isOnChosenRow = ({ target }: Event): boolean => target instanceof Element && target.closest("[aria-selected=true]") !== null;

/** Focuses an unencrypted value in the open tab that looks like a secret. */
export const focusPlainSecret = (): void => focusSoon("[role=tabpanel][data-state=active] [data-pair] input[aria-describedby]");

/** Focuses a missing value in the open tab. */
export const focusMissingValue = (): void => focusSoon("[role=tabpanel][data-state=active] [data-missing]");
