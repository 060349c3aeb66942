import { act, renderHook } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import type { Target } from "../target";
import { argumentsText, forgetTexts, restoreTexts, setText, useTexts } from "./texts";

beforeEach(forgetTexts);
const target: Target = { kind: "prompt", name: "p" };
const values = () => renderHook(() => useTexts(1, target)).result;

it("keeps values apart by item, and leaves an empty one out", () => {
  const held = values();
  act(() => setText(1, target, "a", "x"));
  act(() => setText(1, { kind: "template", name: "p" }, "a", "y"));
  expect([...held.current.values]).toEqual([["a", "x"]]);
  act(() => setText(1, target, "a", ""));
  expect([...held.current.values]).toEqual([]);
});

// Requirements: PROM-01.
it("sends text only, in the order of the names, whatever the names are", () => {
  const texts = new Map([
    ["to", "青岛"],
    ["__proto__", "p"],
    ["from", "12"],
    ["gone", "x"],
  ]);
  expect(argumentsText(texts, ["from", "to", "__proto__", "constructor"])).toBe('{"from":"12","to":"青岛","__proto__":"p"}');
});

it("puts the values of an earlier call back", () => {
  const held = values();
  act(() => restoreTexts(1, target, '{"a":"x","b":7,"__proto__":"p"}'));
  expect([...held.current.values]).toEqual([
    ["a", "x"],
    ["__proto__", "p"],
  ]);
  act(() => restoreTexts(1, target, "not json"));
  expect(held.current.values.size).toBe(2);
});
