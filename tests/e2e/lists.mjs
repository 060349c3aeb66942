// Measures the room for names in lists, in the real window and in pictures: the boxes marked `data-name-cell`.

/** The least room for a name, in CSS px, which are larger in a zoomed window. */
export const LEAST_ROOM = 160;

// Runs in the page: the narrowest box for a name in each visible list, with its text.
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

/** The visible lists, each with its narrowest name and the room for it. */
export const shownLists = (session) => session.execute(MEASURE);

/** The problems with the visible names, as text. */
export const narrowNames = (lists) =>
  lists
    .filter(([, room]) => room < LEAST_ROOM)
    .map(([list, room, name]) => `a name has only ${room} px in the list ${list || "without a name"}: ${name}`);
