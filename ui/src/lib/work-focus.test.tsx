import { render } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { enterWork } from "./work-focus";

beforeEach(() => {
  vi.useFakeTimers();
  render(
    <>
      <button id="other" type="button" />
      <div data-work>
        <div data-field>
          <input id="first" />
        </div>
      </div>
    </>,
  );
});
afterEach(() => {
  vi.useRealTimers();
});

const focused = () => document.activeElement?.id;
const float = () => render(<div role="menu" />).unmount;

it("takes the keyboard to the first field, once nothing floats above the page", () => {
  const close = float();
  enterWork();
  vi.advanceTimersByTime(300);
  expect(focused()).not.toBe("first");
  close();
  vi.advanceTimersByTime(30);
  expect(focused()).toBe("first");
});

it("gives up where something goes on floating", () => {
  const close = float();
  enterWork();
  vi.advanceTimersByTime(2000);
  close();
  vi.advanceTimersByTime(2000);
  expect(focused()).not.toBe("first");
});

it.each([
  ["a press", () => dispatchEvent(new Event("pointerdown"))],
  ["a key", () => dispatchEvent(new KeyboardEvent("keydown", { key: "j" }))],
])("leaves the keyboard where %s put it meanwhile", (_, act) => {
  enterWork();
  document.getElementById("other")?.focus();
  act();
  vi.advanceTimersByTime(100);
  expect(focused()).toBe("other");
});

it("comes also while the key that opened it is still held", () => {
  enterWork();
  dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", repeat: true }));
  vi.advanceTimersByTime(100);
  expect(focused()).toBe("first");
});
