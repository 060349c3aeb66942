import "../workbench-screen";
import { dialogWithKeyboard, openApp } from "@dev/render";
import { freshWorkbench } from "@dev/workbench";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { jsonNumber, jsonString } from "@/lib/schema/json";
import type { Field } from "@/lib/schema/model";
import { fitted } from "./use-places";

vi.setConfig({ testTimeout: 60_000 });

beforeEach(() => freshWorkbench());

/** echo is open with “7”, and the result of add, a number, is shown. */
async function sum() {
  const app = openApp("/workbench?server=10&tool=echo", "offers");
  await app.user.type(await screen.findByRole("textbox", { name: "text" }), "7");
  await app.router.navigate({ to: "/workbench", search: { server: 10, tool: "structured" } });
  await screen.findByRole("heading", { name: "structured" });
  await app.user.keyboard("{Control>}{Enter}{/Control}");
  const result = within(await screen.findByRole("tabpanel", { name: "Result" }));
  await result.findByText("Done");
  return { ...app, result };
}

describe("a value of a result", () => {
  it("is put into an argument of another open call", async () => {
    const { user, router, result } = await sum();
    const [button] = await result.findAllByRole("button", { name: /^Use “.+” as argument…$/ });
    await user.click(button!);
    const dialog = within(await dialogWithKeyboard(/^Use /));
    const [, value] = /^Use “(.+)” as an argument$/.exec(dialog.getByRole("heading").textContent) ?? [];
    // The title has it, so it isn't repeated.
    expect(dialog.queryByText("Value")).toBeNull();
    expect(dialog.getByRole("combobox", { name: "Tool" }).textContent).toContain("echo");
    expect(dialog.getByRole("combobox", { name: "Argument" }).textContent).toBe("text");
    await user.click(dialog.getByRole("button", { name: "Fill in" }));
    await waitFor(() => expect(router.state.location.search).toEqual({ server: 10, tool: "echo" }));
    const text = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "text" });
    expect(text.value).toBe(value);
    await waitFor(() => expect(document.activeElement).toBe(text));
  });

  it("is reached by the arrow keys from the first fold", async () => {
    const { user } = await sum();
    await user.click(screen.getByRole("tab", { name: "Structured" }));
    const panel = within(await screen.findByRole("tabpanel", { name: "Structured" }));
    const tree = panel.queryByRole("radio", { name: "Tree" });
    if (tree) await user.click(tree);
    panel.getAllByRole("button", { name: /^Fold / })[0]!.focus();
    for (let times = 0; times < 12 && document.activeElement?.getAttribute("aria-label")?.startsWith("Use “") !== true; times += 1)
      await user.keyboard("{ArrowDown}");
    expect(document.activeElement?.getAttribute("aria-label")).toMatch(/^Use “/);
    await user.keyboard("{Enter}");
    await dialogWithKeyboard(/^Use /);
  });

  it("of a text is the whole text", async () => {
    const { user } = openApp("/workbench?server=10&tool=echo", "offers");
    await user.type(await screen.findByRole("textbox", { name: "text" }), "Ahoy");
    await user.keyboard("{Control>}{Enter}{/Control}");
    const result = within(await screen.findByRole("tabpanel", { name: "Result" }));
    await user.click(await result.findByRole("button", { name: "Use as argument…" }));
    await dialogWithKeyboard("Use “Ahoy” as an argument");
  });
});

it("a value takes the type of the argument where it can", () => {
  const of = (kind: string) => ({ kind }) as Field;
  expect(fitted(jsonNumber("1.50"), of("string"))).toMatchObject({ kind: "string", value: "1.50" });
  expect(fitted(jsonString(" 7 "), of("number"))).toMatchObject({ kind: "number", text: "7" });
  expect(fitted(jsonString("seven"), of("number"))).toMatchObject({ kind: "string" });
  expect(fitted(jsonNumber("7"), undefined)).toMatchObject({ kind: "number" });
});
