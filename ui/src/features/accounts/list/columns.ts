// The columns of the list of accounts besides the name, by importance: the last is dropped first.
import { type Column, fittingColumns, NAME_ROOM } from "@/lib/columns";

export type AccountColumn = "lasting" | "servers";

const byWorth: readonly Column<AccountColumn>[] = [
  { id: "lasting", width: 216 },
  { id: "servers", width: 190, least: 120 },
];

/** The padding of a name's cell. */
const BESIDE_NAME = 26;

export const columnsFor = (width: number): ReadonlyMap<AccountColumn, number> => fittingColumns(byWorth, width - NAME_ROOM - BESIDE_NAME);
