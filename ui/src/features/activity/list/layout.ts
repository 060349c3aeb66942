// The sizes of the list's head, rows and scrolling. Rows are plain blocks side by side, because hundreds of cells are
// laid out in every frame of a flood: no grid, no container queries, one ellipsis per cell.
export const ROW_HEIGHT = 27;
export const HEAD_HEIGHT = 30;
/** The widths of the list (px) at which each column has room next to a readable event. */
const ROOM = { time: 311, source: 440, took: 620, size: 760, method: 940 } as const;

/** The columns that have room next to the event, by importance. */
export type Room = "none" | keyof typeof ROOM;

/** The columns for this width of the list. 0 means not measured yet. */
export function columnsFor(width: number): Room {
  if (width === 0 || (width >= ROOM.took && width < ROOM.size)) return "took";
  if (width >= ROOM.size) return width >= ROOM.method ? "method" : "size";
  if (width >= ROOM.source) return "source";
  return width >= ROOM.time ? "time" : "none";
}

export const hasSource = (room: Room): boolean => room !== "none" && room !== "time";

export const hasSize = (room: Room): boolean => room === "size" || room === "method";

/** How many characters of machine text (7.2 px each) the event column can show at most. */
export const roomFor = (width: number): number => Math.max(40, Math.ceil((width - 280) / 7));

/** How many characters of a request are shown before its answer in one line. The answer says more. */
export const askedRoom = (room: Room): number => (hasSize(room) ? 24 : 0);

/** Widths of the columns; the event takes the rest. */
export const cell = {
  time: "w-22 shrink-0",
  mark: "w-3.5 shrink-0",
  source: "w-29.5 shrink-0",
  event: "min-w-0 flex-1",
  method: "w-38 shrink-0",
  size: "w-16 shrink-0 text-right",
  took: "w-19 shrink-0 text-right",
} as const;

export const line = "flex items-center gap-2.5 px-3.5";
