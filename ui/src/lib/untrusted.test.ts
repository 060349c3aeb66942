import { describe, expect, it } from "vitest";
import { pieces, visible, visibleLine } from "./untrusted";

describe("somebody else's text", () => {
  it("shows what would be invisible or reorder the line", () => {
    expect(visible("a\u202Eb")).toBe("a⟨U+202E⟩b");
    for (const hidden of ["\u200b", "\ufeff", "\u00ad", "\u0000", "\u001b", "\u009b", "\u{e0041}", "\u2066", "\u2028", "\u3164", "\u180e", "\ufe01", "\u{e0101}"]) {
      expect([hidden.codePointAt(0), visible(`x${hidden}y`)]).toEqual([hidden.codePointAt(0), `x⟨U+${(hidden.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩y`]);
    }
  });
  it("leaves honest writing alone", () => {
    for (const text of ["plain", "a\tb\nc\r\nd".replace("\r", ""), "灯塔 🚢", "👩‍👩‍👧 ❤️ 1️⃣ 👍🏽", "مرحبا بالعالم", "می‌خواهم", "क्‍ष", "é e\u0301"]) expect(visible(text)).toBe(text);
  });
  it("does not spell out the carriage return of a line break", () => {
    expect(pieces("a\r\nb")).toEqual(["a", "\nb"]);
    expect(visible("a\rb")).toBe("a⟨U+000D⟩b");
  });
  it("fits on one line", () => expect(visibleLine("a\r\n\tb")).toBe("a b"));
  it("spells out joiners where no script needs them", () => expect(visible("a\u200db \u200c")).toBe("a⟨U+200D⟩b ⟨U+200C⟩"));
});
