// The measures that the list's head, rows and scrolling share. Rows are plain blocks beside each other, because
// hundreds of cells are laid out anew in every frame of a flood: no grid, no container queries, one ellipsis per cell.
export const ROW_HEIGHT = 27;
export const HEAD_HEIGHT = 30;
/** From this width of the list on (px), there is room for the size column. */
export const WIDE = 760;

/** How many characters of machine text (7.2 px each) the event column can show at most. */
export const roomFor = (width: number): number => Math.max(40, Math.ceil((width - 280) / 7));

/** Widths of the columns; the event takes the rest. */
export const cell = {
  time: "w-22 shrink-0",
  mark: "w-3.5 shrink-0",
  source: "w-29.5 shrink-0",
  event: "min-w-0 flex-1",
  size: "w-16 shrink-0 text-right",
  took: "w-19 shrink-0 text-right",
} as const;

export const line = "flex items-center gap-2.5 px-3.5";
