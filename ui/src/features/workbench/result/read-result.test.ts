import { describe, expect, it } from "vitest";
import { decodeBase64, decodeText, isTextMime, mediaName } from "@/lib/media";
import { readResult, repeatsStructured } from "./read-result";
import { countLines, headLines, rowsOf } from "./rows";
import { mayBeTable, readRow, readTable, tableText } from "./table";

describe("reading a result", () => {
  it("knows every kind of block", () => {
    const { blocks } = readResult(
      JSON.stringify({
        content: [
          { type: "text", text: "a\n b", annotations: { audience: ["user"], priority: 0.5 } },
          { type: "image", data: "AA==", mimeType: "image/png" },
          { type: "audio", data: "AA==", mimeType: "audio/wav" },
          { type: "resource_link", uri: "demo://a", name: "a", size: 12, description: "d" },
          { type: "resource", resource: { uri: "demo://b", text: "b", mimeType: "text/plain" } },
          { type: "resource", resource: { uri: "demo://c", blob: "AA==" } },
        ],
      }),
    );
    expect(blocks).toMatchObject([
      { kind: "text", text: "a\n b", notes: { audience: ["user"], priority: "0.5" } },
      { kind: "image", mime: "image/png", data: "AA==" },
      { kind: "audio", mime: "audio/wav" },
      { kind: "link", uri: "demo://a", name: "a", title: null, size: 12 },
      { kind: "resource", uri: "demo://b", text: "b", blob: null },
      { kind: "resource", uri: "demo://c", text: null, blob: "AA==" },
    ]);
  });

  it("keeps what it does not know as JSON, byte for byte", () => {
    const odd = '{"type":"hologram","n":12345678901234567890}';
    const { blocks } = readResult(
      `{"content":[${odd},"word",null,{"type":"text"},{"type":"image","data":5},{"type":"resource","resource":{}}]}`,
    );
    expect(blocks.map((block) => (block.kind === "unknown" ? [block.type, block.raw] : block.kind))).toEqual([
      ["hologram", odd],
      [null, '"word"'],
      [null, "null"],
      ["text", '{"type":"text"}'],
      ["image", '{"type":"image","data":5}'],
      ["resource", '{"type":"resource","resource":{}}'],
    ]);
  });

  it("keeps structured content as sent and sees errors", () => {
    expect(readResult('{"content":[],"structuredContent":{"n":1.0},"isError":true}')).toMatchObject({
      structured: '{"n":1.0}',
      isError: true,
      readable: true,
    });
    expect(readResult('{"content":[],"structuredContent":null,"isError":"true"}')).toMatchObject({ structured: null, isError: false });
  });

  it.each(["", "[]", "null", '"x"', "{", "{x}"])("%j is not a result", (text) => {
    expect(readResult(text)).toMatchObject({ readable: false, blocks: [] });
  });

  it("takes content that is no list as one block", () => {
    expect(readResult('{"content":{"type":"text","text":"x"}}').blocks).toMatchObject([{ kind: "text", text: "x" }]);
  });

  it("sees when a text only repeats the structured content", () => {
    const block = (text: string) => ({ kind: "text", text, notes: null }) as const;
    expect(repeatsStructured(block('{ "a": [1, 2] }'), '{"a":[1,2.0]}')).toBe(true);
    expect(repeatsStructured(block('{"a":9007199254740993}'), '{"a":9007199254740992}')).toBe(false);
    expect(repeatsStructured(block("a"), '"a"')).toBe(false);
    expect(repeatsStructured(block("{}"), null)).toBe(false);
  });
});

describe("media", () => {
  // Requirements: TOOL-14.
  it("plays and shows only what is listed", () => {
    expect(["image/png", "IMAGE/JPEG", "image/webp; q=1", "image/gif"].map((mime) => mediaName("image", mime))).toEqual([
      "PNG",
      "JPEG",
      "WebP",
      "GIF",
    ]);
    expect(
      ["image/svg+xml", "text/html", null, "audio/wav", "image/tiff", "image/png,text/html"].map((mime) => mediaName("image", mime)),
    ).toEqual([null, null, null, null, null, null]);
    expect(["audio/wav", "audio/mpeg", "audio/ogg; codecs=opus", "video/mp4", "image/png"].map((mime) => mediaName("audio", mime))).toEqual(
      ["WAV", "MP3", "Ogg", null, null],
    );
  });
  // Requirements: TOOL-14.
  it("decodes base64 in both alphabets and refuses anything else", () => {
    expect(decodeBase64("_-8=")).toEqual(new Uint8Array([255, 239]));
    expect(decodeBase64(" AA\nAA ")).toEqual(new Uint8Array(3));
    expect(["A", "AA!A", '"><script>', "data:image/png;base64,AA=="].map(decodeBase64)).toEqual([null, null, null, null]);
  });
  it("knows text when it sees it", () => {
    expect(decodeText(new Uint8Array([0xff, 0xfe]))).toBeNull();
    expect(["image/svg+xml", "text/html", "application/json", "application/pdf", null].map(isTextMime)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});

describe("tables", () => {
  it("are lists of flat objects, alone or in an object", () => {
    const table = readTable('{"rows":[{"city":"Rotterdam","n":412},{"city":"青岛","n":3,"note":null}],"total":2}');
    expect(table).toMatchObject({
      name: "rows",
      beside: [{ name: "total", value: "2" }],
      columns: [
        { name: "city", numeric: false },
        { name: "n", numeric: true },
        { name: "note", numeric: false },
      ],
    });
    expect(readTable('[{"a":1}]')?.name).toBeNull();
  });
  it.each(["[]", "[1]", '[{"a":{}}]', '[{"a":[1]}]', '{"a":[{"b":1}],"c":[{"d":1}]}', '{"a":[{"b":1}],"c":{}}', "5", "{", "{}", "[{}]"])(
    "%s is none",
    (text) => {
      expect(readTable(text)).toBeNull();
    },
  );
  it("keep numbers exactly and copy as tab-separated text", () => {
    const text = '[{"id":12345678901234567890,"t":"a\\tb\\nc"},{"t":"d"}]';
    const table = readTable(text);
    if (table === null) throw new Error("no table");
    expect(tableText(text, table)).toBe("id\tt\n12345678901234567890\ta b c\n\td");
    expect(readRow(text, table.rows[1] ?? { kind: "null", start: 0, end: 0 }).has("id")).toBe(false);
  });
  it("are guessed at by their beginning when they are large", () => {
    expect(['[{"a":1},', '{"rows": [ {"a"', '{"a":1,"rows":[{', "[1,2", '{"a":{"b"'].map(mayBeTable)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

describe("long texts", () => {
  it("are rows that together are the text", () => {
    const text = `short\n${"x".repeat(2_500)}\n\n${"😀".repeat(700)}\nend`;
    const rows = rowsOf(text);
    expect(rows.every((row) => row.length <= 1_000)).toBe(true);
    expect(rows.join("").length).toBe(text.replaceAll("\n", "").length);
    expect(rows.every((row) => !/^[\udc00-\udfff]/.test(row))).toBe(true);
    expect(rows[0]).toBe("short");
    expect(rowsOf("")).toEqual([""]);
  });
  it("begin with whole lines, never with half a character", () => {
    expect(headLines("a\nb\nc\nd", 2, 100)).toBe("a\nb");
    expect(headLines("abc", 2, 100)).toBe("abc");
    expect(headLines("😀😀😀", 5, 3)).toBe("😀");
    expect(countLines("a\nb\n")).toBe(3);
  });
});
