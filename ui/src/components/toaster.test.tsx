import { holdTime, pass } from "@dev/clock";
import { act, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { endUndo, toast } from "@/lib/toasts";
import { Dialog } from "./dialog";
import { Toaster } from "./toaster";
import { TooltipProvider } from "./tooltip";

const say = (message: Parameters<typeof toast>[0]) => act(() => void toast(message));
const shown = (text: string) => screen.queryByText(text) !== null;
const rowOf = (text: string) => screen.getByText(text).closest("li")!;
const button = (name: string) => screen.getByRole("button", { name });

function open() {
  render(
    <TooltipProvider>
      <button type="button">Page</button>
      <Toaster />
    </TooltipProvider>,
  );
  return userEvent.setup({ advanceTimers: (ms) => void vi.advanceTimersByTime(ms) });
}

describe("a message", () => {
  beforeEach(holdTime);

  it.each<[string, (user: ReturnType<typeof open>) => Promise<void>]>([
    ["its action", (user) => user.click(button("Open"))],
    ["its cross", (user) => user.click(button("Dismiss"))],
    ["its action and a key", (user) => user.keyboard("{F8}{Enter}")],
    ["Escape", (user) => user.keyboard("{F8}{Escape}")],
  ])("leaves after its time when the last was closed by %s", async (_way, close) => {
    const user = open();
    const run = vi.fn();
    say({ text: "One", action: { label: "Open", run } });
    fireEvent.pointerMove(rowOf("One"), { clientX: 5 });
    await close(user);
    expect(shown("One")).toBe(false);
    say({ text: "Two" });
    await pass(4_100);
    expect(shown("Two")).toBe(false);
  });
  it("waits while the pointer is on it, and leaves afterwards", async () => {
    open();
    say({ text: "Read me" });
    await pass(3_000);
    fireEvent.pointerMove(rowOf("Read me"), { clientX: 5 });
    await pass(60_000);
    expect(shown("Read me")).toBe(true);
    fireEvent.pointerOut(rowOf("Read me"), { relatedTarget: document.body });
    await pass(900);
    expect(shown("Read me")).toBe(true);
    await pass(200);
    expect(shown("Read me")).toBe(false);
  });
  it("does not wait for a pointer that rests where it appears", async () => {
    open();
    say({ text: "Under it" });
    fireEvent.pointerOver(rowOf("Under it"), { clientX: 5, clientY: 5 });
    fireEvent.pointerMove(rowOf("Under it"), { clientX: 5, clientY: 5 });
    await pass(4_100);
    expect(shown("Under it")).toBe(false);
  });
  it("takes the place of the one before, which is not held for it", async () => {
    open();
    say({ text: "One" });
    fireEvent.pointerMove(rowOf("One"), { clientX: 5 });
    say({ text: "Two" });
    expect(["One", "Two"].map(shown)).toEqual([false, true]);
    await pass(4_100);
    expect(["One", "Two"].map(shown)).toEqual([false, false]);
  });
  it("can be undone until something else is done, and a while longer", async () => {
    const user = open();
    const undo = vi.fn();
    say({ text: "Removed", undo });
    await pass(600_000);
    expect(shown("Removed")).toBe(true);
    act(endUndo);
    await pass(9_000);
    expect(shown("Removed")).toBe(true);
    await pass(1_100);
    expect(shown("Removed")).toBe(false);
    say({ text: "Removed", undo });
    await user.click(button("Undo"));
    expect(undo).toHaveBeenCalledOnce();
  });
  it("can be undone a while longer once somebody types", async () => {
    open();
    render(<input aria-label="Field" />);
    say({ text: "Removed", undo: () => undefined });
    await pass(600_000);
    fireEvent.input(screen.getByRole("textbox", { name: "Field" }), { target: { value: "a" } });
    await pass(9_000);
    expect(shown("Removed")).toBe(true);
    await pass(1_100);
    expect(shown("Removed")).toBe(false);
  });
  it("that can be undone comes back after those that cover it", async () => {
    const user = open();
    const undo = vi.fn();
    say({ text: "Removed", undo });
    for (const text of ["One", "Two", "Three"]) say({ text });
    expect(["Removed", "One", "Two", "Three"].map(shown)).toEqual([false, false, false, true]);
    await user.click(button("Dismiss"));
    expect(["Removed", "Two"].map(shown)).toEqual([true, false]);
    await user.click(button("Undo"));
    expect(undo).toHaveBeenCalledOnce();
  });
  it("is shown although three others can still be undone", () => {
    open();
    for (const text of ["One", "Two", "Three"]) say({ text, undo: () => undefined });
    say({ text: "Copied" });
    expect(shown("Copied")).toBe(true);
  });
  it("gives the focus back to where it was", async () => {
    const user = open();
    button("Page").focus();
    say({ text: "Copied" });
    await user.keyboard("{F8}");
    expect(document.activeElement).toBe(button("Dismiss"));
    await user.keyboard("{Enter}");
    expect(document.activeElement).toBe(button("Page"));
  });
});

describe("a dialog", () => {
  function openDialog() {
    const close = vi.fn();
    render(
      <TooltipProvider>
        <Dialog open onOpenChange={close} title="Question">
          <input aria-label="Answer" />
        </Dialog>
        <Toaster />
      </TooltipProvider>,
    );
    say({ text: "Copied" });
    return { close, user: userEvent.setup() };
  }
  it("has Escape although a message came after it", async () => {
    const { close, user } = openDialog();
    await user.keyboard("{Escape}");
    expect(close).toHaveBeenCalledOnce();
    expect(shown("Copied")).toBe(true);
  });
  it("stays open when a message is pressed or left with Escape", async () => {
    const { close } = openDialog();
    fireEvent.pointerDown(button("Dismiss"));
    fireEvent.keyDown(button("Dismiss"), { key: "Escape" });
    expect(shown("Copied")).toBe(false);
    expect(close).not.toHaveBeenCalled();
  });
});
