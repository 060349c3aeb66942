import { describe, expect, it } from "vitest";
import type { PinView } from "@/ipc/bindings/PinView";
import { inWords } from "./in-words";

const pin = (kind: PinView["kind"], now: unknown, name = "ship"): PinView => ({
  kind,
  name,
  state: "new",
  hash: "",
  approvedAt: null,
  changes: [],
  unshown: 0,
  now: typeof now === "string" ? now : JSON.stringify(now),
  whole: null,
  hidden: [],
  forApps: null,
});

describe("a definition in words", () => {
  it("has what a tool does and takes, and nothing twice", () => {
    const words = inWords(
      pin("tool", {
        name: "ship",
        description: "Ships it.",
        annotations: { readOnlyHint: true, note: "hm" },
        inputSchema: {
          $schema: "https://json-schema.org/draft/2020-12/schema",
          type: "object",
          properties: { to: { type: ["string", "null"], description: "Where.", default: "here", items: { anyOf: [{ title: "deep" }] } } },
          required: ["to"],
          additionalProperties: false,
        },
        _meta: { x: 1 },
      }),
    );
    expect(words?.description).toBe("Ships it.");
    expect(words?.hints?.readOnly).toBe(true);
    expect(words?.arguments).toEqual([
      {
        name: "to",
        types: ["string", "null"],
        required: true,
        description: "Where.",
        details: [
          { pointer: "/default", text: "here" },
          { pointer: "/items/anyOf/0/title", text: "deep" },
        ],
      },
    ]);
    expect(words?.details).toEqual([
      { pointer: "/annotations/note", text: "hm" },
      { pointer: "/_meta/x", text: "1" },
    ]);
    expect(words?.unsaid).toBe(0);
  });
  it("loses no second description, and no argument that is there twice", () => {
    const words = inWords(
      pin("tool", '{"name":"ship","description":"good","description":"evil","inputSchema":{"properties":{"a":{},"a":{"type":"string"}}}}'),
    );
    expect(words?.details).toEqual([{ pointer: "/description", text: "evil" }]);
    expect(words?.arguments?.map(({ name, types }) => [name, ...types])).toEqual([["a"], ["a", "string"]]);
  });
  it("counts what is too much", () => {
    const properties = Object.fromEntries(Array.from({ length: 130 }, (_, at) => [`a${at}`, {}]));
    expect(inWords(pin("tool", { name: "ship", inputSchema: { properties } }))?.unsaid).toBe(10);
  });
  it("reads prompts and instructions, and not how a server starts", () => {
    const words = inWords(pin("prompt", { name: "ship", arguments: [{ name: "to", required: true, description: "Where." }] }));
    expect(words?.arguments).toEqual([{ name: "to", types: ["string"], required: true, description: "Where.", details: [] }]);
    expect(inWords(pin("instructions", '"Be kind."', ""))?.description).toBe("Be kind.");
    expect(inWords(pin("server", { command: "npx" }))).toBeNull();
    expect(inWords(pin("tool", "{"))).toBeNull();
  });
});
