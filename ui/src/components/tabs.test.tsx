import { TooltipProvider } from "./tooltip";
import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Folder, Info, KeyRound, Wrench } from "lucide-react";
import { useState } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Tabs } from "./tabs";

// Tests have no layout: a word has 10 px per letter, an icon with its padding 30.
const ICON = 30;
const names = { overview: Info, tools: Wrench, folders: Folder, account: KeyRound };
type Name = keyof typeof names;

let width = 0;
let resized: () => void = () => undefined;

const isWord = (element: Element) => element instanceof HTMLElement && element.dataset["worded"] !== undefined;
const letters = (element: Element) => 10 * (element.textContent?.length ?? 0);

beforeEach(() => {
  vi.spyOn(HTMLElement.prototype, "offsetWidth", "get").mockImplementation(function of(this: HTMLElement) {
    if (isWord(this)) return letters(this);
    const word = this.querySelector("[data-worded=true]");
    return this.role === "tab" || this.getAttribute("role") === "tab" ? ICON + (word ? letters(word) : 0) : 0;
  });
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockImplementation(() => width);
  vi.spyOn(HTMLElement.prototype, "scrollWidth", "get").mockImplementation(function of(this: HTMLElement) {
    return [...this.querySelectorAll<HTMLElement>("[role=tab]")].reduce((sum, tab) => sum + tab.offsetWidth, 0);
  });
  vi.stubGlobal(
    "ResizeObserver",
    class {
      constructor(callback: () => void) {
        resized = callback;
      }
      observe = () => undefined;
      disconnect = () => undefined;
    },
  );
});
afterEach(() => vi.unstubAllGlobals());

function Strip() {
  const [value, setValue] = useState<Name>("account");
  return (
    <TooltipProvider>
      <Tabs
        label="Parts"
        value={value}
        onChange={setValue}
        tabs={Object.entries(names).map(([name, icon]) => ({ value: name as Name, label: name, icon, content: name }))}
      />
    </TooltipProvider>
  );
}
const worded = () => [...document.querySelectorAll("[data-worded=true]")].map(({ textContent }) => textContent);
const resize = (to: number) =>
  act(async () => {
    width = to;
    resized();
    await new Promise(requestAnimationFrame);
  });
const menu = () => screen.queryByRole("button", { name: "All tabs" });

describe("tabs with icons", () => {
  it("have words as far as there is room, and the open one always", async () => {
    width = 1000;
    render(<Strip />);
    expect(worded()).toEqual(["overview", "tools", "folders", "account"]);
    // 24 px padding, 33 for each icon, 70 for the open tab's label, and 80 for the first one's.
    await resize(24 + 4 * 33 + 70 + 80);
    expect(worded()).toEqual(["overview", "account"]);
    await resize(24 + 4 * 33 + 70 + 80 - 1);
    expect([worded(), menu()]).toEqual([["account"], null]);
    await resize(24 + 4 * 33 + 70 + 80 + 50);
    expect(worded()).toEqual(["overview", "tools", "account"]);
    screen.getByRole("tab", { name: "folders" });
  });
  it("are fitted again when another is opened", async () => {
    width = 24 + 4 * 33 + 70 + 80;
    render(<Strip />);
    expect(worded()).toEqual(["overview", "account"]);
    await userEvent.click(screen.getByRole("tab", { name: "overview" }));
    expect(worded()).toEqual(["overview", "tools"]);
  });
  it("have a menu where even the icons have no room", () => {
    width = 100;
    render(<Strip />);
    expect(worded()).toEqual(["account"]);
    expect(menu()).not.toBeNull();
  });
});
