import { describe, expect, it } from "vitest";
import { pieces, visible, visibleLine } from "./untrusted";
// The engine and the command line must pass the same cases (`crates/policy/src/untrusted.rs`).
import cases from "./untrusted.cases.json";

describe("somebody else's text", () => {
  it("shows what would be invisible or reorder the line", () => {
    expect(visible("a\u202Eb")).toBe("a⟨U+202E⟩b");
    for (const code of cases.deceptive) expect(visible(`x${String.fromCodePoint(Number.parseInt(code, 16))}y`)).toBe(`x⟨U+${code}⟩y`);
    for (const [text, codes] of Object.entries(cases.not_honest)) {
      expect(visible(text).match(/(?<=⟨U\+)[0-9A-F]+/g)).toEqual(codes);
    }
  });
  it("leaves honest writing alone", () => {
    for (const text of cases.honest) expect(visible(text)).toBe(text.replaceAll("\r", ""));
  });
  it("does not spell out the carriage return of a line break", () => {
    expect(pieces("a\r\nb")).toEqual(["a", "\nb"]);
    expect(visible("a\rb")).toBe("a⟨U+000D⟩b");
  });
  it("fits on one line", () => expect(visibleLine("a\r\n\tb")).toBe("a b"));
});
