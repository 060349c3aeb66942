import { review } from "@dev/mock/inbox-sampling";
import { describe, expect, it } from "vitest";
import { isEdited, samplingContent, tokensOf, unedited } from "./edits";

describe("the limit of an answer", () => {
  // Requirements: SAMP-05.
  it.each([
    ["1", 1],
    [" 64 ", 64],
    ["999999999", 999_999_999],
    ["1000000000", 1_000_000_000],
    ["4294967295", 4_294_967_295],
    ["4294967296", null],
    ["9999999999", null],
    ["0", null],
    ["", null],
    ["-1", null],
    ["1.5", null],
    ["1e3", null],
  ] as const)("as typed: %s is %s", (typed, tokens) => {
    expect(tokensOf(typed)).toBe(tokens);
  });
  it("is taken as it was asked, also the largest", () => {
    const asked = { ...review, maxTokens: 4_294_967_295 };
    expect([isEdited(asked, unedited(asked)), samplingContent(asked, unedited(asked))]).toEqual([false, null]);
    expect(samplingContent(asked, { ...unedited(asked), system: "Be brief." })).toContain('"maxTokens":4294967295,');
  });
});
