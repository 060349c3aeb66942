// Finds a table in structured content: a list of flat objects, alone or as the only list of an object.
import { type JsonNode, membersOf, rootOf, scalarOf, unlessBroken } from "@/lib/json-scan";

export interface Column {
  readonly name: string;
  /** Whether all values are numbers, which are right-aligned. */
  readonly numeric: boolean;
  /** The approximate number of characters of its values. */
  readonly width: number;
}

export interface Table {
  /** The member with the list. Null if the list is the whole content. */
  readonly name: string | null;
  readonly columns: readonly Column[];
  readonly rows: readonly JsonNode[];
  /** The values next to the list. */
  readonly beside: readonly { readonly name: string; readonly value: string }[];
}

const MAX_COLUMNS = 40;
const SAMPLED = 200;

/** The table in a JSON text, or null. */
export function readTable(text: string): Table | null {
  return unlessBroken(() => {
    const root = rootOf(text);
    if (root.kind === "array") return tableOf(text, root, null, []);
    if (root.kind !== "object") return null;
    const members = [...membersOf(text, root)];
    const lists = members.filter((member) => member.value.kind === "array");
    const [list] = lists;
    if (list === undefined || lists.length > 1 || members.length > 12 || members.some((member) => member.value.kind === "object"))
      return null;
    const beside = members.flatMap((member) =>
      member === list || member.key === null ? [] : [{ name: member.key, value: scalarOf(text, member.value) }],
    );
    return tableOf(text, list.value, list.key, beside);
  }, null);
}

/** A quick check of the beginning: whether it may be a table. */
export function mayBeTable(text: string): boolean {
  return /^\s*(?:\{\s*"(?:[^"\\]|\\.)*"\s*:\s*)?\[\s*\{/.test(text.slice(0, 4_000));
}

function tableOf(text: string, list: JsonNode, name: string | null, beside: Table["beside"]): Table | null {
  const rows: JsonNode[] = [];
  const columns = new Map<string, { numbers: number; others: number; width: number }>();
  for (const item of membersOf(text, list)) {
    if (item.value.kind !== "object") return null;
    rows.push(item.value);
    for (const cell of membersOf(text, item.value)) {
      if (cell.key === null || cell.value.kind === "object" || cell.value.kind === "array") return null;
      let column = columns.get(cell.key);
      if (column === undefined) {
        if (columns.size >= MAX_COLUMNS) return null;
        column = { numbers: 0, others: 0, width: cell.key.length };
        columns.set(cell.key, column);
      }
      if (cell.value.kind === "number") column.numbers += 1;
      else if (cell.value.kind !== "null") column.others += 1;
      if (rows.length <= SAMPLED) column.width = Math.max(column.width, breadth(scalarOf(text, cell.value)));
    }
  }
  if (rows.length === 0 || columns.size === 0) return null;
  return {
    name,
    rows,
    beside,
    columns: [...columns].map(([key, { numbers, others, width }]) => ({ name: key, numeric: numbers > 0 && others === 0, width })),
  };
}

/** The width in characters, for sizing a column. Wide characters count twice. */
function breadth(value: string): number {
  let sum = 0;
  for (const char of value.slice(0, 60))
    sum += /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/.test(char) ? 2 : 1;
  return sum;
}

export interface Cell {
  readonly kind: JsonNode["kind"];
  readonly value: string;
}

/** The cells of a row by column. Absent values are missing. */
export function readRow(text: string, row: JsonNode): Map<string, Cell> {
  const cells = new Map<string, Cell>();
  for (const cell of membersOf(text, row)) {
    if (cell.key !== null) cells.set(cell.key, { kind: cell.value.kind, value: scalarOf(text, cell.value) });
  }
  return cells;
}

/** The table as tab-separated text, for spreadsheets. */
export function tableText(text: string, table: Table): string {
  const plain = (value: string) => value.replaceAll(/[\t\r\n]+/g, " ");
  const lines = table.rows.map((row) => {
    const cells = readRow(text, row);
    return table.columns.map((column) => plain(cells.get(column.name)?.value ?? "")).join("\t");
  });
  return [table.columns.map((column) => plain(column.name)).join("\t"), ...lines].join("\n");
}

/** The table as comma-separated values (RFC 4180), for a file. */
export function csvText(text: string, table: Table): string {
  const lines = table.rows.map((row) => {
    const cells = readRow(text, row);
    return table.columns.map((column) => csvCell(cells.get(column.name))).join(",");
  });
  return `${[table.columns.map((column) => csvCell({ kind: "string", value: column.name })).join(","), ...lines].join("\r\n")}\r\n`;
}

/** Prefixes an apostrophe to text that a spreadsheet would take for a formula, because a server wrote it. */
function csvCell(cell: Cell | undefined): string {
  if (cell === undefined || cell.kind === "null") return "";
  const value = cell.kind === "string" && /^[=+\-@\t\r]/.test(cell.value) ? `'${cell.value}` : cell.value;
  return /[",\r\n]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

export interface Sort {
  readonly column: string;
  readonly descending: boolean;
}

/** The indexes of the rows that contain the text, sorted by a column. Rows without a value come last. */
export function rowOrder(text: string, table: Table, filter: string, sort: Sort | null): number[] {
  const places = table.rows.map((_, index) => index);
  const wanted = filter.trim().toLowerCase();
  if (wanted === "" && sort === null) return places;
  const cells = table.rows.map((row) => readRow(text, row));
  const found =
    wanted === ""
      ? places
      : places.filter((place) => [...(cells[place]?.values() ?? [])].some((cell) => cell.value.toLowerCase().includes(wanted)));
  if (sort === null) return found;
  const numeric = table.columns.find((column) => column.name === sort.column)?.numeric === true;
  const compare = numeric
    ? (left: string, right: string) => Number(left) - Number(right)
    : new Intl.Collator(undefined, { numeric: true }).compare;
  const valueAt = (place: number) => {
    const cell = cells[place]?.get(sort.column);
    return cell === undefined || cell.kind === "null" ? null : cell.value;
  };
  return found.toSorted((left, right) => {
    const [one, other] = [valueAt(left), valueAt(right)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return sort.descending ? compare(other, one) : compare(one, other);
  });
}
