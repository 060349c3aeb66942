// How much room the names in lists have, in the real window and on the pictures: the boxes marked `data-name-cell`.

/** A name has at least so much room, in the page's px, which are larger where the window is zoomed. */
export const LEAST_ROOM = 160;

// Runs in the page: the narrowest box for a name in each list that is in sight, with what stands in it.
const MEASURE = `
const narrowest = new Map();
for (const box of document.querySelectorAll('[data-name-cell]')) {
  if (!box.checkVisibility({ visibilityProperty: true })) continue;
  const { paddingLeft, paddingRight } = getComputedStyle(box);
  const room = Math.round(box.getBoundingClientRect().width - parseFloat(paddingLeft) - parseFloat(paddingRight));
  const around = box.closest('nav, table, ul, [role=grid], [role=tree], [role=listbox]');
  const list = around?.getAttribute('aria-label') ?? around?.getAttribute('aria-labelledby') ?? '';
  if (!narrowest.has(list) || narrowest.get(list)[1] > room) narrowest.set(list, [list, room, box.textContent.trim().slice(0, 40)]);
}
return [...narrowest.values()];
`;

/** The lists that are shown: each with the room of its narrowest name and that name. */
export const shownLists = (session) => session.execute(MEASURE);

/** What is wrong with the names that are shown, in words. */
export const narrowNames = (lists) =>
  lists
    .filter(([, room]) => room < LEAST_ROOM)
    .map(([list, room, name]) => `a name has only ${room} px in the list ${list || "without a name"}: ${name}`);
