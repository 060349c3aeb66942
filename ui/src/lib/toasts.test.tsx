import { dialogWithKeyboard, openApp } from "@dev/render";
import { act, render, renderHook, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { toast, useToasts } from "./toasts";

/** The texts of the visible messages. */
const open = () => {
  const { result } = renderHook(useToasts);
  return { user: userEvent.setup(), texts: () => result.current.map(({ text }) => text) };
};
const say = (...messages: Parameters<typeof toast>[0][]) => act(() => messages.forEach(toast));

describe("the key that undoes", () => {
  it("undoes what the newest message with Undo says, once", async () => {
    const { user, texts } = open();
    const [first, second] = [vi.fn(), vi.fn()];
    say({ text: "One", undo: first }, { text: "Two", undo: second }, { text: "Copied" });
    await user.keyboard("{Control>}z{/Control}");
    expect([first.mock.calls.length, second.mock.calls.length, texts()]).toEqual([0, 1, ["One", "Copied"]]);
    await user.keyboard("{Control>}{z>3/}{/Control}");
    expect([first.mock.calls.length, second.mock.calls.length, texts()]).toEqual([1, 1, ["Copied"]]);
  });
  it("is left to whoever types, and to others where nothing is to undo", async () => {
    const { user, texts } = open();
    const [undo, left] = [vi.fn(), vi.fn()];
    const listening = new AbortController();
    addEventListener("keydown", ({ key, defaultPrevented }) => key === "z" && left(defaultPrevented), { signal: listening.signal });
    render(
      <>
        <input aria-label="Field" />
        <div contentEditable suppressContentEditableWarning role="textbox" tabIndex={0} aria-label="Editor" />
      </>,
    );
    say({ text: "Removed", undo });
    for (const name of ["Field", "Editor"]) {
      screen.getByRole("textbox", { name }).focus();
      await user.keyboard("{Control>}z{/Control}");
    }
    expect([undo.mock.calls.length, texts()]).toEqual([0, ["Removed"]]);
    act(() => screen.getByRole("textbox", { name: "Editor" }).blur());
    await user.keyboard("{Control>}z{/Control}");
    await user.keyboard("{Control>}z{/Control}");
    listening.abort();
    expect([undo.mock.calls.length, left.mock.calls]).toEqual([1, [[false], [false], [false]]]);
  });
  it("is among the shortcuts", async () => {
    const { user } = openApp("/activity");
    await screen.findByRole("main", { name: "Activity" });
    await user.keyboard("?");
    const list = within(await dialogWithKeyboard("Keyboard shortcuts"));
    expect(list.getByText("Undo the last action").nextElementSibling?.textContent).toBe("Ctrl Z");
  });
});
