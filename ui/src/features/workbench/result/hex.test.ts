import { expect, it } from "vitest";
import { hexRow, hexText, signOf } from "./hex";

const bytes = (...values: number[]) => Uint8Array.from(values);

it("shows bytes with their place and their letters", () => {
  expect(hexRow(bytes(0x4d, 0x00, 0x7f, 0x20, 0xff, 0x41, 0x42, 0x43, 0x44), 0, 8)).toEqual({
    place: "00000000",
    bytes: "4d 00 7f 20  ff 41 42 43",
    letters: "M·· ·ABC",
  });
  expect(hexRow(bytes(0x4d, 0x00, 0x7f, 0x20, 0xff, 0x41, 0x42, 0x43, 0x44), 1, 8)).toEqual({
    place: "00000008",
    bytes: "44".padEnd(24),
    letters: "D",
  });
  expect(hexRow(bytes(1, 2, 3), 0, 8).bytes.length).toBe(24);
});
it("writes all rows as text", () => {
  expect(
    hexText(
      Uint8Array.from({ length: 17 }, (_, index) => index + 0x41),
      16,
    ),
  ).toBe(
    "00000000  41 42 43 44 45 46 47 48  49 4a 4b 4c 4d 4e 4f 50  ABCDEFGHIJKLMNOP\n00000010  51                                                Q",
  );
  expect(hexText(bytes(), 16)).toBe("");
});
it.each([
  [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0], "PNG"],
  [[0x25, 0x50, 0x44, 0x46], "PDF"],
  [[0x50, 0x4b, 3, 4], "ZIP"],
  [[1, 2, 3], null],
  [[], null],
] as [number[], string | null][])("knows the sign of %j as %s", (values, sign) => {
  expect(signOf(bytes(...values))).toBe(sign);
});
