import { usualAccounts } from "@dev/mock/accounts";
import { describe, expect, it } from "vitest";
import { formatSpan } from "./format";
import { accountsFor, hostOf, isOver, lastingOf, scopesOf, spentOf, whoOf } from "./logins";

const minute = 60_000;
const ended = { code: "over", params: {}, text: "over" };

describe("how long a login lasts", () => {
  it("is said by what ends it first", () => {
    const now = 1_000_000_000;
    const at = (expiresAt: number | null, refreshable = false) => lastingOf({ ended: null, refreshable, expiresAt }, now);
    expect([at(now + 14 * minute), at(now + 16 * minute), at(now), at(null)]).toEqual(["soon", "lasting", "over", "endless"]);
    // An expired token doesn't matter if it is refreshed automatically.
    expect([at(now - minute, true), at(null, true)]).toEqual(["renews", "renews"]);
    expect(lastingOf({ ended, refreshable: true, expiresAt: now + minute }, now)).toBe("ended");
    expect((["ended", "over", "soon", "renews", "lasting", "endless"] as const).filter(isOver)).toEqual(["ended", "over"]);
  });
  it("is a share of the token's time, never beyond its ends", () => {
    const at = (now: number, expiresAt: number | null = 200) => spentOf({ renewedAt: 100, expiresAt }, now);
    expect([at(100), at(125), at(200), at(50), at(900), at(125, null), at(125, 100), at(125, 90)]).toEqual([0, 0.25, 1, 0, 1, null, 1, 1]);
  });
  it("is written in one unit", () => {
    expect([0, 59_000, 12 * minute, 90 * minute, 47 * 60 * minute, 72 * 60 * minute].map((ms) => formatSpan(ms, "en"))).toEqual([
      "0 seconds",
      "59 seconds",
      "12 minutes",
      "2 hours",
      "47 hours",
      "3 days",
    ]);
    expect(formatSpan(12 * minute, "zh-CN")).toBe("12 分钟");
  });
});

describe("the scopes of a login", () => {
  // Requirements: AUTH-37.
  it("are what was granted, beside what was asked for", () => {
    expect(scopesOf({ scopesAsked: ["a", "b", "b"], scopesGranted: ["b", "c", "b"] })).toEqual({
      granted: ["b"],
      refused: ["a"],
      added: ["c"],
    });
    expect(scopesOf({ scopesAsked: [], scopesGranted: [] })).toEqual({ granted: [], refused: [], added: [] });
  });
});

describe("a login's name", () => {
  it("is what the server calls the person, else its number for them, with hidden characters spelled out", () => {
    expect(whoOf({ label: "ana", subject: "1" })).toBe("ana");
    expect(whoOf({ label: " ", subject: "usr_1" })).toBe("usr_1");
    expect(whoOf({ label: null, subject: null })).toBeNull();
    expect(whoOf({ label: "a\u202Eb\nc", subject: null })).toBe("a⟨U+202E⟩b c");
  });
  it("stands with the host of its server", () => {
    expect([hostOf("https://login.acme.test:8443/realms/x"), hostOf("no address"), hostOf("urn:x")]).toEqual([
      "login.acme.test:8443",
      "no address",
      "urn:x",
    ]);
  });
});

describe("the logins that a server may use", () => {
  it("begin with the one in use", () => {
    const list = usualAccounts();
    expect(accountsFor(list.toReversed(), 5).map((account) => account.id)).toEqual([1, 2]);
    expect(accountsFor(list, 99)).toEqual([]);
  });
});
