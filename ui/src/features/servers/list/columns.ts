// The columns of the list of servers besides the name: the chosen ones, and those that have room.
import { useState } from "react";
import { type Column, NAME_ROOM, fittingColumns } from "@/lib/columns";
import { recall, remember } from "@/lib/remembered";

/** In display order. */
export const columnIds = ["state", "usedBy", "lastUsed", "tools", "load", "account", "protocol", "p95", "error"] as const;
export type ColumnId = (typeof columnIds)[number];

/** The columns that the person can hide. The state is always needed. */
export const choosable = columnIds.filter((id) => id !== "state");

/** Whether a column has figures, which are right-aligned. */
export const isNumeric = (id: ColumnId): boolean => id === "tools" || id === "load" || id === "p95";

/** By importance: the last is dropped first. */
const byWorth: readonly Column<ColumnId>[] = [
  { id: "state", width: 188, least: 150 },
  { id: "lastUsed", width: 130 },
  { id: "usedBy", width: 150, least: 126 },
  { id: "tools", width: 88 },
  { id: "load", width: 132 },
  { id: "error", width: 260, least: 180 },
  { id: "account", width: 160 },
  { id: "protocol", width: 152 },
  { id: "p95", width: 88 },
];

/** The padding and the icon in a name's cell. */
const BESIDE_NAME = 54;

/** The most room that names get at the cost of a column (px). */
const MOST_NAME_ROOM = 230;
/** The width of a letter (px), and of a double-width character. */
const LETTER = 7.2;
const WIDE_LETTER = 13;
/** How much narrower the content of the last cell is (px). */
const LAST_PADDING = 6;

/** The room that the longest of these names needs (px), from its letters, because nothing is drawn yet. */
export function nameRoom(names: readonly string[]): number {
  const widths = names.map((name) =>
    Array.from(name, (letter) => (letter > "\u2E7F" ? WIDE_LETTER : LETTER)).reduce((sum, width) => sum + width, 0),
  );
  return Math.ceil(Math.min(MOST_NAME_ROOM, Math.max(NAME_ROOM, ...widths)));
}

/** The chosen columns that fit next to names of this width, in their order, with their widths (px). */
export function columnsFor(
  width: number,
  chosen: ReadonlySet<ColumnId>,
  names: number = NAME_ROOM,
): readonly (readonly [ColumnId, number])[] {
  const wanted = byWorth.filter(({ id }) => id === "state" || chosen.has(id));
  const room = width - names - BESIDE_NAME;
  const fitting = fittingColumns(wanted, room);
  const columns = columnIds.flatMap((id) => {
    const given = fitting.get(id);
    return given === undefined ? [] : [[id, given] as const];
  });
  const left = room - columns.reduce((sum, [, given]) => sum + given, 0);
  return columns.map(([id, given], at) => [id, at === columns.length - 1 && left > LAST_PADDING ? given + LAST_PADDING : given] as const);
}

const KEY = "servers.columns";
const usual: readonly ColumnId[] = ["usedBy", "lastUsed", "tools", "load", "account", "error"];

/** The chosen columns, saved for the next start. */
export function useChosenColumns(): [ReadonlySet<ColumnId>, (id: ColumnId) => void] {
  const [chosen, setChosen] = useState<ReadonlySet<ColumnId>>(() => {
    const known = recall(KEY)?.split(" ");
    return new Set(known === undefined ? usual : choosable.filter((id) => known.includes(id)));
  });
  return [
    chosen,
    (id) => {
      const next = new Set(chosen);
      if (!next.delete(id)) next.add(id);
      setChosen(next);
      remember(KEY, choosable.filter((known) => next.has(known)).join(" "));
    },
  ];
}
