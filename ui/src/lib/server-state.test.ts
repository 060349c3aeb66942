import { describe, expect, it } from "vitest";
import { shownState } from "./server-state";

const failure = (code: "secret_missing" | "exited") =>
  ({ code, message: { text: "no", chinese: "no" }, next: null, evidence: null }) as never;

describe("the state that is shown of a server", () => {
  it("is no failure where only a value is missing", () => {
    expect(shownState({ state: "failed", startStep: null, changed: false, failure: failure("secret_missing") })).toBe("value_missing");
    expect(shownState({ state: "failed", startStep: null, changed: true, failure: failure("secret_missing") })).toBe("value_missing");
    expect(shownState({ state: "failed", startStep: null, changed: false, failure: failure("exited") })).toBe("failed");
    expect(shownState({ state: "starting", startStep: null, changed: false, failure: failure("secret_missing") })).toBe("starting");
  });
  it("is that something changed, of one that answers", () => {
    expect(shownState({ state: "ready", startStep: null, changed: true, failure: null })).toBe("changed");
    expect(shownState({ state: "degraded", startStep: null, changed: true, failure: failure("exited") })).toBe("changed");
    expect(shownState({ state: "stopped", startStep: null, changed: true, failure: null })).toBe("stopped");
  });
  it("tells what it does while it starts, also while it is stopped for that", () => {
    expect(shownState({ state: "starting", startStep: "downloading", changed: false, failure: null })).toBe("downloading");
    expect(shownState({ state: "starting", startStep: "restarting", changed: true, failure: null })).toBe("restarting");
  });
});
