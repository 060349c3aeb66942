import { fireEvent, renderHook } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { useShortcut } from "./shortcuts";

describe("a shortcut", () => {
  it("rests while somebody types, unless it has Ctrl", async () => {
    const user = userEvent.setup();
    const plain = vi.fn();
    const chord = vi.fn();
    renderHook(() => {
      useShortcut("n", plain);
      useShortcut("mod+enter", chord);
    });
    await user.keyboard("n");
    expect(plain).toHaveBeenCalledTimes(1);
    const input = document.body.appendChild(document.createElement("input"));
    input.focus();
    await user.keyboard("n{Control>}{Enter}{/Control}");
    input.remove();
    expect(plain).toHaveBeenCalledTimes(1);
    expect(chord).toHaveBeenCalledTimes(1);
  });
  it("rests while a dialog is open, unless it is for always", async () => {
    const user = userEvent.setup();
    const plain = vi.fn();
    const always = vi.fn();
    renderHook(() => {
      useShortcut("j", plain);
      useShortcut("mod+k", always, { always: true });
    });
    const dialog = document.body.appendChild(document.createElement("div"));
    dialog.setAttribute("role", "dialog");
    dialog.setAttribute("data-modal", "true");
    await user.keyboard("j{Control>}k{/Control}");
    dialog.remove();
    expect([plain.mock.calls.length, always.mock.calls.length]).toEqual([0, 1]);
  });
  it("belongs to whoever asked last, and comes back afterwards", async () => {
    const user = userEvent.setup();
    const first = vi.fn();
    const second = vi.fn();
    renderHook(() => useShortcut("/", first));
    const { unmount } = renderHook(() => useShortcut("/", second));
    await user.keyboard("/");
    unmount();
    await user.keyboard("/");
    expect([first.mock.calls.length, second.mock.calls.length]).toEqual([1, 1]);
  });
  it("acts once while its key is held, unless it repeats", async () => {
    const user = userEvent.setup();
    const once = vi.fn();
    const again = vi.fn();
    renderHook(() => {
      useShortcut("backspace", once);
      useShortcut("j", again, { repeats: true });
    });
    await user.keyboard("{Backspace>5/}{j>5/}");
    expect([once.mock.calls.length, again.mock.calls.length]).toEqual([1, 5]);
  });
  it("is none with the other one of Ctrl and ⌘", async () => {
    const user = userEvent.setup();
    const plain = vi.fn();
    renderHook(() => useShortcut("r", plain));
    await user.keyboard("{Meta>}r{/Meta}");
    expect(plain).not.toHaveBeenCalled();
    await user.keyboard("r");
    expect(plain).toHaveBeenCalledTimes(1);
  });
  it("leaves its letters to a closed list, which chooses by them", async () => {
    const user = userEvent.setup();
    const plain = vi.fn();
    const chord = vi.fn();
    renderHook(() => {
      useShortcut("s", plain);
      useShortcut("backspace", plain);
      useShortcut("mod+enter", chord, { rests: true });
    });
    const list = document.body.appendChild(document.createElement("button"));
    list.setAttribute("role", "combobox");
    list.focus();
    await user.keyboard("s{Backspace}{Control>}{Enter}{/Control}");
    list.remove();
    expect([plain.mock.calls.length, chord.mock.calls.length]).toEqual([0, 1]);
  });
  it("comes before a closed list in which something was just chosen", async () => {
    const user = userEvent.setup();
    const plain = vi.fn();
    const typed = vi.fn();
    renderHook(() => useShortcut("1", plain));
    const list = document.body.appendChild(document.createElement("button"));
    list.setAttribute("role", "combobox");
    list.setAttribute("data-settled", "true");
    list.addEventListener("keydown", typed);
    list.focus();
    await user.keyboard("1");
    list.remove();
    expect([plain.mock.calls.length, typed.mock.calls.length]).toEqual([1, 0]);
  });
  it("with Ctrl comes before what stops its key or opens by it", async () => {
    const user = userEvent.setup();
    const chord = vi.fn();
    const plain = vi.fn();
    const opened = vi.fn();
    renderHook(() => {
      useShortcut("mod+enter", chord);
      useShortcut("enter", plain);
    });
    const box = document.body.appendChild(document.createElement("button"));
    box.addEventListener("keydown", (event) => {
      event.preventDefault();
      opened();
    });
    box.focus();
    await user.keyboard("{Control>}{Enter}{/Control}");
    expect([chord.mock.calls.length, opened.mock.calls.length]).toEqual([1, 1]);
    await user.keyboard("{Enter}");
    box.remove();
    expect([chord.mock.calls.length, plain.mock.calls.length, opened.mock.calls.length]).toEqual([1, 0, 2]);
  });
  it("leaves Space to what Space presses", async () => {
    const user = userEvent.setup();
    const space = vi.fn();
    const pressed = vi.fn();
    renderHook(() => useShortcut("space", space));
    await user.keyboard(" ");
    const button = document.body.appendChild(document.createElement("button"));
    button.addEventListener("click", pressed);
    button.focus();
    await user.keyboard(" ");
    button.remove();
    expect([space.mock.calls.length, pressed.mock.calls.length]).toEqual([1, 1]);
  });
  it("leaves to an input method the key that confirms its candidate", () => {
    const plain = vi.fn();
    renderHook(() => useShortcut("n", plain));
    fireEvent.keyDown(document.body, { key: "n", keyCode: 229 });
    expect(plain).not.toHaveBeenCalled();
  });
  it("of a part of the page count only there, and before those of the page", () => {
    const [part, page] = [vi.fn(), vi.fn()];
    const around = document.body.appendChild(document.createElement("div"));
    around.dataset["part"] = "";
    const [inside, outside] = [around, document.body].map((parent) => parent.appendChild(document.createElement("input")));
    renderHook(() => {
      useShortcut("mod+enter", part, { within: "[data-part]" });
      useShortcut("mod+enter", page);
    });
    for (const at of [outside, inside]) at?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true }));
    for (const added of [around, outside]) added?.remove();
    expect([part.mock.calls.length, page.mock.calls.length]).toEqual([1, 1]);
  });
});
