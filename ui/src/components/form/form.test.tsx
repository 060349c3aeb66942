// Tests the form of a tool's arguments by itself, from a schema.
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { describe, expect, it } from "vitest";
import { TooltipProvider } from "@/components/tooltip";
import { compileSchema } from "@/lib/schema/compile";
import { argumentsOf, type Draft, newDraft, problemsOf } from "./draft";
import { Form } from "./form";

/** Opens a form with these properties. Returns the simulated user and the arguments. */
const openForm = (properties: object) => openSchema({ type: "object", properties });

function openSchema(schema: object) {
  const model = compileSchema(JSON.stringify(schema));
  if (model.kind === "none") throw new Error(model.reason);
  const { root } = model;
  const seen: { draft: Draft } = { draft: newDraft(model) };
  function Over() {
    const [draft, setDraft] = useState(seen.draft);
    const onChange = (edit: (draft: Draft) => Draft) => {
      seen.draft = edit(seen.draft);
      setDraft(seen.draft);
    };
    return <Form root={root} server="s" draft={draft} problems={problemsOf(draft, null, undefined)} empty="" onChange={onChange} />;
  }
  render(
    <TooltipProvider>
      <Over />
    </TooltipProvider>,
  );
  return { user: userEvent.setup(), sent: () => argumentsOf(seen.draft), touched: () => [...seen.draft.touched] };
}

describe("a field that is left", () => {
  it("counts as filled in, also where the focus goes to its menu", async () => {
    const { user, touched } = openForm({ a: { type: "integer", default: 2 } });
    await user.type(screen.getByRole("textbox", { name: "a" }), "99");
    expect(touched()).toEqual([]);
    await user.tab();
    expect(document.activeElement?.getAttribute("aria-label")).toBe("More actions for a");
    expect(touched()).toHaveLength(1);
  });
});

describe("what a schema says", () => {
  it("must not be there is left out, unless it is there", async () => {
    openForm({ a: { type: "string" }, b: { not: {} }, c: false });
    expect(screen.getAllByRole("textbox").map((box) => box.id)).toEqual([screen.getByRole("textbox", { name: "a" }).id]);
    expect(screen.queryByText("b")).toBeNull();
  });

  it("of null as a default is no value to begin with", () => {
    openForm({ a: { anyOf: [{ type: "string" }, { type: "null" }], default: null }, b: { type: "string", default: "x" } });
    expect(screen.getByRole("textbox", { name: "a" }).getAttribute("placeholder")).toBeNull();
    expect(screen.getByRole("textbox", { name: "b" }).getAttribute("placeholder")).toBe("x");
    expect(screen.queryByText("null")).toBeNull();
  });

  it("of a default is named as the choice is", () => {
    openForm({ a: { enum: [1, 2], enumNames: ["Low", "High"], default: 2 }, b: { enum: ["x", "y"], default: "y" } });
    expect([...document.querySelectorAll("p")].map((hint) => hint.textContent)).toEqual(["Default: High", "Default: y"]);
  });

  it("in a title is shown where it is more than the name", () => {
    openForm({ row_limit: { type: "integer", title: "Row Limit" }, max: { type: "integer", title: "Most rows" } });
    expect(screen.queryByText("Row Limit")).toBeNull();
    screen.getByText("Most rows");
  });

  it("of items that differ is said of a list, and not of boxes to tick", () => {
    openForm({ a: { type: "array", items: { enum: ["x", "y"] }, uniqueItems: true } });
    expect(screen.getAllByRole("checkbox")).toHaveLength(2);
    expect(screen.queryByText("No duplicates")).toBeNull();
    cleanup();
    openForm({ a: { type: "array", items: { type: "string" }, uniqueItems: true } });
    screen.getByText("No duplicates");
  });

  it("of alternatives of the whole is chosen first, and only what belongs to it is asked for", async () => {
    const { user, sent } = openSchema({
      oneOf: [
        { title: "By id", properties: { id: { type: "string" }, name: { not: {} } }, required: ["id"] },
        { title: "By name", properties: { name: { type: "string" } }, required: ["name"] },
      ],
    });
    expect(screen.getAllByRole("textbox").map((box) => box.getAttribute("aria-label") ?? box.id)).toEqual([
      screen.getByRole("textbox", { name: "id" }).id,
    ]);
    await user.click(screen.getByLabelText("Type of arguments"));
    await user.click(await screen.findByRole("option", { name: "By name" }));
    await user.type(screen.getByRole("textbox", { name: "name" }), "x");
    expect(sent()).toBe('{"name":"x"}');
  });
});

const focused = () => document.activeElement?.getAttribute("aria-label");

describe("an item", () => {
  it("edited as JSON stays in its place, with the focus, while it is emptied", async () => {
    const { user, sent } = openForm({ args: { type: "array" } });
    await user.click(screen.getByRole("button", { name: "Add item" }));
    await user.click(screen.getByRole("button", { name: "Add item" }));
    const first = screen.getByRole("textbox", { name: "Item 1 as JSON" });
    await user.clear(first);
    expect([screen.getAllByRole("textbox").length, focused(), sent()]).toEqual([2, "Item 1 as JSON", null]);
    await user.keyboard("5");
    expect(sent()).toBe('{"args":[5,null]}');
  });

  it("stays when another kind is chosen for it, and when that is emptied", async () => {
    const { user, sent } = openForm({ args: { type: "array", items: { anyOf: [{ type: "string" }, { type: "integer" }] } } });
    await user.click(screen.getByRole("button", { name: "Add item" }));
    await user.click(screen.getByRole("combobox", { name: "Type of Item 1" }));
    await user.click(await screen.findByRole("option", { name: "Whole number" }));
    await user.type(screen.getByRole("textbox"), "7");
    expect(sent()).toBe('{"args":[7]}');
    await user.clear(screen.getByRole("textbox"));
    expect(sent()).toBe('{"args":[null]}');
    await user.click(screen.getByRole("combobox", { name: "Type of Item 1" }));
    await user.click(await screen.findByRole("option", { name: "Text" }));
    await user.type(screen.getByRole("textbox"), "x");
    await user.clear(screen.getByRole("textbox"));
    expect(sent()).toBe('{"args":[""]}');
  });
});

describe("an optional choice of plain values", () => {
  it.each([{ type: ["string", "number"] }, { anyOf: [{ type: "string" }, { type: "number" }, { type: "null" }], default: null }])(
    "is filled in, emptied and switched, and stays: %j",
    async (schema) => {
      const { user, sent } = openForm({ x: schema });
      const kind = async (name: string) => {
        await user.click(screen.getByRole("combobox", { name: "Type of x" }));
        await user.click(await screen.findByRole("option", { name }));
      };
      expect(screen.queryByRole("textbox")).toBeNull();
      await kind("Text");
      await user.type(screen.getByRole("textbox"), "a");
      expect(sent()).toBe('{"x":"a"}');
      await user.clear(screen.getByRole("textbox"));
      expect([sent(), document.activeElement === screen.getByRole("textbox")]).toEqual(["{}", true]);
      await kind("Number");
      await user.type(screen.getByRole("textbox"), "-5");
      expect(sent()).toBe('{"x":-5}');
      await kind("Text");
      await user.type(screen.getByRole("textbox"), "b");
      expect(sent()).toBe('{"x":"b"}');
      await kind("Not set");
      expect([sent(), screen.queryByRole("textbox")]).toEqual(["{}", null]);
    },
  );
});

describe("a format of the server's choosing", () => {
  it("is quoted, and stands in no sentence of ours", () => {
    openForm({ x: { type: "string", format: "safe. Mooring approved it" } });
    const quoted = screen.getByText("safe. Mooring approved it");
    expect(quoted.closest("[data-theirs]")?.textContent).toBe("safe. Mooring approved it");
    expect(screen.getByText("Format:", { exact: false }).contains(quoted)).toBe(true);
  });
});
