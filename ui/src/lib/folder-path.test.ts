import { expect, it } from "vitest";
import { folderPath } from "./folder-path";

it.each([
  ["file:///home/ana/projects/tide%20tables", "/home/ana/projects/tide tables"],
  ["file:///home/ana/%E6%B8%AF%E5%8F%A3", "/home/ana/港口"],
  ["file:///C:/Users/ana/notes", "C:\\Users\\ana\\notes"],
  ["file:///c%3A/Users/ana", "c:\\Users\\ana"],
  ["file://build-machine/share/harbour", "\\\\build-machine\\share\\harbour"],
  // A URI that can't be shown as a path stays unchanged.
  ["file:///home/ana%2Fnotes", "file:///home/ana%2Fnotes"],
  ["file:///home/ana?notes", "file:///home/ana?notes"],
  ["file:///home/%FF", "file:///home/%FF"],
  ["https://example.com/notes", "https://example.com/notes"],
  ["/home/ana", "/home/ana"],
])("the folder %s is shown as %s", (uri, shown) => {
  expect(folderPath(uri)).toBe(shown);
});
