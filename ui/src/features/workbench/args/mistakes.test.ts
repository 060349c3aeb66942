import i18next from "i18next";
import { describe, expect, it } from "vitest";
import { compileSchema } from "@/lib/schema/compile";
import { newDraft, problemsOf, typeText } from "@/components/form/draft";
import { editorMistakes } from "./mistakes";

const t = i18next.getFixedT("en", "form");
const schema = compileSchema(
  JSON.stringify({
    type: "object",
    properties: { a: { type: "integer" }, o: { type: "object", properties: { p: { type: "string" } }, required: ["p"] } },
  }),
);
const check = {
  problems: [
    { at: "/a", code: "notNumber" as const, detail: null },
    { at: "/o/p", code: "required" as const, detail: null },
  ],
  unchecked: [],
};
const mistakes = (text: string) => {
  const draft = typeText(newDraft(schema), text);
  return editorMistakes(draft, problemsOf(draft, schema.kind === "form" ? schema.root : null, check), t);
};

describe("marks in the JSON view", () => {
  it("stand where the text goes wrong", () => {
    expect(mistakes('{\n  "ä😀": 1,\n  "b": tru\n}')).toEqual([{ line: 3, column: 8, length: 3, message: "“tru” isn’t allowed here" }]);
  });
  it("stand at values that do not fit, and at the group that lacks one", () => {
    expect(mistakes('{"😀":0,"a": "x", "o": {}}')).toMatchObject([
      { line: 1, column: 13, length: 3, severity: "warning", message: "Must be a number" },
      { line: 1, column: 23, length: 2, severity: "warning", message: "“p” is required" },
    ]);
  });
  it("say that arguments are an object", () => {
    expect(mistakes("[]")).toMatchObject([{ line: 1, column: 1 }]);
  });
});
