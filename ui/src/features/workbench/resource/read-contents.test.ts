import { describe, expect, it } from "vitest";
import { readContents } from "./read-contents";

// Requirements: RES-02, RES-11.
describe("the contents of a resource", () => {
  it("are read in order, texts and bytes", () => {
    const text = JSON.stringify({
      contents: [
        { uri: "a:1", mimeType: "text/plain", text: "x", annotations: { priority: 0.5 } },
        { uri: "a:2", blob: "AAE=" },
      ],
    });
    expect(readContents(text)).toEqual([
      {
        kind: "resource",
        uri: "a:1",
        mime: "text/plain",
        text: "x",
        blob: null,
        notes: { audience: [], priority: "0.5", lastModified: null },
      },
      { kind: "resource", uri: "a:2", mime: null, text: null, blob: "AAE=", notes: null },
    ]);
  });
  it("may be empty, missing, one without a list, or without an address", () => {
    expect(readContents('{"contents":[]}')).toEqual([]);
    expect(readContents("{}")).toEqual([]);
    expect(readContents('{"contents":null}')).toEqual([]);
    expect(readContents('{"contents":{"text":""}}')).toMatchObject([{ kind: "resource", uri: "", text: "" }]);
  });
  it("keep as JSON what has neither text nor bytes, and lose no neighbour for it", () => {
    expect(
      readContents('{"contents":[7,{"uri":"a:1"},{"uri":"a:2","text":"x"},{"uri":"a:3","text":{}}]}')?.map((block) =>
        block.kind === "unknown" ? block.raw : block.kind,
      ),
    ).toEqual(["7", '{"uri":"a:1"}', "resource", '{"uri":"a:3","text":{}}']);
  });
  it("are not there where the answer is no object", () => {
    for (const text of ["", "[]", "null", "{", "7"]) expect(readContents(text)).toBeNull();
  });
});
