import { describe, expect, it } from "vitest";
import { applyLanguage } from "./i18n";
import { signInInput, underWay } from "./sign-in";

describe("a sign-in", () => {
  it("is asked for in the browser, with its page in the language of the window", async () => {
    expect(signInInput()).toEqual({
      way: "browser",
      clientId: null,
      clientSecret: null,
      redirect: null,
      pkceUnannounced: false,
      withoutResource: false,
      another: false,
      language: "en",
    });
    await applyLanguage("zh-CN");
    expect(signInInput({ another: true })).toMatchObject({ another: true, language: "zh-CN" });
  });
  it("goes on until it ended", () => {
    const view = (status: "working" | "browser" | "done" | "failed" | "cancelled") => ({
      server: 1,
      status,
      startedAt: 0,
      endedAt: null,
      deadline: null,
      browserHost: null,
      steps: [],
      problem: null,
      account: null,
    });
    expect((["working", "browser", "done", "failed", "cancelled"] as const).map((status) => underWay(view(status)))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect([underWay(null), underWay(undefined)]).toEqual([false, false]);
  });
});
