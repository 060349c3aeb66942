// No text from a server can hide or reorder the text around it.
import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { Form } from "@/components/form/form";
import { newDraft } from "@/components/form/draft";
import { compileSchema } from "@/lib/schema/compile";
import { toast } from "@/lib/toasts";
import { CodeEditorView } from "./code-editor-view";
import { JsonTree } from "./json-tree";
import { Toaster } from "./toaster";
import { TooltipProvider } from "./tooltip";

const TURN = "\u202e";
/** All texts of a page, including attributes. */
function said(): string {
  const attributes = [...document.body.querySelectorAll("*")].flatMap((element) =>
    ["title", "aria-label", "placeholder", "alt"].map((name) => element.getAttribute(name) ?? ""),
  );
  return `${document.body.textContent}\n${attributes.join("\n")}`;
}

describe("a server's words", () => {
  it("are spelled out wherever a form repeats them", () => {
    const odd = (text: string) => `${text}${TURN}`;
    const model = compileSchema(
      JSON.stringify({
        type: "object",
        required: [odd("pick")],
        properties: {
          [odd("text")]: {
            type: "string",
            title: odd("title"),
            description: odd("about"),
            pattern: odd("^a"),
            format: odd("form"),
            default: odd("preset"),
            examples: [odd("sample")],
          },
          [odd("pick")]: {
            oneOf: [
              { const: "a", title: odd("first") },
              { const: "b", title: odd("second") },
            ],
          },
          [odd("many")]: { type: "array", items: { enum: [odd("one"), odd("two")] }, uniqueItems: true },
          [odd("group")]: { type: "object", properties: { [odd("inner")]: { type: "boolean" } } },
          [odd("either")]: {
            oneOf: [
              { type: "object", title: odd("left"), properties: {} },
              { type: "object", title: odd("right"), properties: {} },
            ],
          },
        },
      }),
    );
    if (model.kind === "none") throw new Error(model.reason);
    render(
      <TooltipProvider>
        <Form root={model.root} server={odd("demo")} draft={newDraft(model)} problems={[]} empty="" onChange={() => undefined} />
      </TooltipProvider>,
    );
    expect(document.body.textContent).toContain("^aU+202E");
    expect(said()).not.toContain(TURN);
  });

  it("are cut where a pattern is very long", () => {
    const pattern = "a".repeat(100_000);
    const model = compileSchema(JSON.stringify({ type: "object", properties: { x: { type: "string", pattern } } }));
    if (model.kind === "none") throw new Error(model.reason);
    render(
      <TooltipProvider>
        <Form
          root={model.root}
          server="demo"
          draft={newDraft(model)}
          problems={[]}
          empty=""
          unchecked={new Set([pattern])}
          onChange={() => undefined}
        />
      </TooltipProvider>,
    );
    expect(screen.getByText(/^a+…$/).textContent).toHaveLength(1_001);
    expect(document.body.textContent).toContain("Only the server checks this pattern");
  });

  it("are spelled out in a tree's text and the names of its folds", () => {
    render(<JsonTree text={JSON.stringify({ [`key${TURN}`]: [{ a: `value${TURN}` }] })} />);
    expect(said()).toContain("key⟨U+202E⟩");
    expect(said()).not.toContain(TURN);
  });

  it("are spelled out in a message", async () => {
    render(
      <TooltipProvider>
        <Toaster />
      </TooltipProvider>,
    );
    toast({ text: `demo${TURN}: refused`, tone: "bad" });
    await screen.findByText("U+202E");
    expect(said()).not.toContain(TURN);
  });

  it("are spelled out in the editor, where the text itself stays as it is", () => {
    render(<CodeEditorView value={`{"a": "b${TURN}\u{e0041}c"}`} onChange={() => undefined} label="text" />);
    expect([...document.querySelectorAll(".cm-specialChar")].map((mark) => mark.textContent)).toEqual(["U+202E", "U+E0041"]);
  });
});
