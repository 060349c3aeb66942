import { expect, it } from "vitest";
import { decodeBase64, encodeBase64 } from "./media";
import { extensionOf, fileName } from "./save-file";

it.each([
  ["image/png", "png"],
  ["image/jpeg", "jpg"],
  ["audio/mpeg", "mp3"],
  ["audio/x-wav", "wav"],
  ["application/vnd.api+json", "json"],
  ["text/plain", "txt"],
  ["application/x-own", "bin"],
  ["", "bin"],
])("a file of type %j ends in %s", (mime, extension) => {
  expect(extensionOf(mime, "bin")).toBe(extension);
});

it.each([
  ["echo", "txt", "echo.txt"],
  ["demo://docs/guide.md", "md", "guide.md"],
  ["../../etc/passwd", "txt", "passwd.txt"],
  ["a:b*c?\u202e", "json", "a-b-c-U-202E.json"],
  ["...", "txt", "result.txt"],
  ["日本", "csv", "日本.csv"],
])("what is called %j is saved as %s: %s", (wanted, extension, name) => {
  expect(fileName(wanted, extension)).toBe(name);
});

it("writes bytes as base64 that is read as the same bytes", () => {
  const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256);
  expect(decodeBase64(encodeBase64(bytes))).toEqual(bytes);
});
