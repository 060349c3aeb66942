import { expect, it } from "vitest";
import { csvText, readTable, rowOrder } from "./table";

const text = JSON.stringify([
  { city: "Ålesund", berths: 10, note: null },
  { city: 'a, "b"', berths: 9, note: "=1+1" },
  { city: "Bergen 10", note: "two\nlines" },
  { city: "Bergen 9", berths: -2, note: "-5" },
]);
const table = readTable(text);
if (table === null) throw new Error("no table");

it.each([
  ["", null, [0, 1, 2, 3]],
  ["", { column: "berths", descending: false }, [3, 1, 0, 2]],
  ["", { column: "berths", descending: true }, [0, 1, 3, 2]],
  ["bergen", { column: "city", descending: false }, [3, 2]],
  [" 9 ", null, [1, 3]],
  ["nowhere", null, []],
] as const)("rows with %j sorted by %j are %j", (filter, sort, order) => {
  expect(rowOrder(text, table, filter, sort)).toEqual(order);
});

it("is written as CSV, in which no text becomes a formula", () => {
  expect(csvText(text, table)).toBe(
    'city,berths,note\r\nÅlesund,10,\r\n"a, ""b""",9,\'=1+1\r\nBergen 10,,"two\nlines"\r\nBergen 9,-2,\'-5\r\n',
  );
});
