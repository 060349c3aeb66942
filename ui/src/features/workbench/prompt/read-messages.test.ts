import { describe, expect, it } from "vitest";
import { promptText, readMessages } from "./read-messages";

// Requirements: PROM-04.
describe("the messages of a prompt", () => {
  it("are read with who speaks and every kind of content", () => {
    const read = readMessages(
      JSON.stringify({
        description: "d",
        messages: [
          { role: "user", content: { type: "text", text: "a" } },
          { role: "assistant", content: { type: "resource_link", uri: "a:b", name: "n" } },
          { role: "narrator", content: { type: "hologram" } },
        ],
      }),
    );
    expect(read?.description).toBe("d");
    expect(read?.messages.map(({ role, blocks }) => [role, blocks[0]?.kind])).toEqual([
      ["user", "text"],
      ["assistant", "link"],
      ["narrator", "unknown"],
    ]);
  });
  it("are kept whatever shape they have", () => {
    const read = readMessages(
      '{"messages":[{"role":"user","content":"plain"},{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},{"content":{"type":"text","text":"c"}},{"role":"user"},7]}',
    );
    expect(
      read?.messages.map(({ role, blocks }) => [
        role,
        blocks.map((block) => (block.kind === "text" ? block.text : block.kind === "unknown" ? block.raw : block.kind)),
      ]),
    ).toEqual([
      ["user", ["plain"]],
      ["user", ["a", "b"]],
      [null, ["c"]],
      ["user", ['{"role":"user"}']],
      [null, ["7"]],
    ]);
  });
  it("are none where there are none, and unreadable where the answer is no object", () => {
    expect(readMessages("{}")).toEqual({ description: null, messages: [] });
    expect(readMessages('{"messages":{}}')?.messages).toEqual([]);
    for (const text of ["", "[]", "null", "{"]) expect(readMessages(text)).toBeNull();
  });
  it("can be copied as plain text", () => {
    const read = readMessages(
      JSON.stringify({
        messages: [
          { role: "user", content: { type: "text", text: "a" } },
          { role: "user", content: { type: "image", mimeType: "image/png", data: "" } },
          { role: "assistant", content: { type: "resource", resource: { uri: "a:b", text: "t" } } },
        ],
      }),
    );
    expect(read && promptText(read)).toBe("user: a\n\nuser: [image/png]\n\nassistant: t");
  });
});
