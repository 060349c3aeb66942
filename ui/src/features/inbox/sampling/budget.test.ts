import { describe, expect, it } from "vitest";
import { ollama, review } from "@dev/mock/inbox-sampling";
import { isShort } from "./budget";

describe("a budget", () => {
  const claude = review.route;
  it("is too small where no token is left for the answer", () => {
    const left = (tokens: number) => ({ requests: null, tokens, cost: null });
    expect([0, 1_204, 1_205].map((tokens) => isShort(left(tokens), 1_204, claude))).toEqual([true, true, false]);
  });
  it("of money keeps nobody from a model that costs nothing", () => {
    const left = { requests: null, tokens: null, cost: 0 };
    expect([claude, ollama].map((route) => isShort(left, 10, route))).toEqual([true, false]);
  });
  it("of requests has counted this one already", () => {
    expect(isShort({ requests: 0, tokens: null, cost: null }, 10, claude)).toBe(false);
  });
});
