import { describe, expect, it } from "vitest";
import { decodeBase64 } from "@/lib/media";
import { compareDecimals, isWhole, sameNumberKey } from "./schema/decimal";
import { withoutEnd } from "./trim";

const MANY = 4 * 1024 * 1024;

describe("cutting a run off the end", () => {
  it("takes the run at the end and nothing else", () => {
    expect(["", "=", "a==", "=a=", "a"].map((text) => withoutEnd(text, "="))).toEqual(["", "", "a", "=a", "a"]);
  });

  it("is done at once with a base64 text of four million marks and one letter", () => {
    expect(decodeBase64(`${"=".repeat(MANY)}A`)).toBeNull();
    expect(decodeBase64(`QQ${"=".repeat(MANY)}`)).toEqual(new Uint8Array([65]));
  });

  it("is done at once with a number of four million zeros and one digit", () => {
    const number = `1${"0".repeat(MANY)}1`;
    expect(isWhole(number)).toBe(true);
    expect(compareDecimals(number, `${number}.0`)).toBe(0);
    expect(isWhole(`1.${"0".repeat(MANY)}`)).toBe(true);
  });

  it("knows a number however it is written", () => {
    expect(new Set(["1", "1.0", "10e-1", "0.1e1"].map(sameNumberKey)).size).toBe(1);
    expect(new Set(["1", "-1", "10", "0"].map(sameNumberKey)).size).toBe(4);
    expect(sameNumberKey("0")).toBe(sameNumberKey("-0.0"));
  });
});
