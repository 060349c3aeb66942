import { describe, expect, it } from "vitest";
import type { Translate } from "../words/event-words";
import { choicesOf, chosenOf, toggled } from "./facets";

const t = ((key: string) => key) as unknown as Translate;
const facets = { sources: ["git", "github"], apps: ["cursor"], methods: ["ping", "tools/call"], total: 9 };

describe("choosing what is shown", () => {
  it("replaces a server by another and takes it away when chosen again", () => {
    expect(toggled("server", "git", { server: "github", text: "a" })).toEqual({ server: "git", text: "a" });
    expect(toggled("server", "git", { server: "git", text: "a" })).toEqual({ text: "a" });
  });

  it("adds kinds up", () => {
    expect(toggled("kind", "stderr", { kind: "frame" })).toEqual({ kind: "frame,stderr" });
    expect(toggled("kind", "frame", { kind: "frame" })).toEqual({});
    expect(toggled("kind", "nonsense", { kind: "frame" })).toEqual({ kind: "frame" });
  });

  it("adds results up, and replaces a duration by another", () => {
    expect(toggled("outcome", "timed_out", { outcome: "error" })).toEqual({ outcome: "error,timed_out" });
    expect(toggled("outcome", "error", { outcome: "error,timed_out" })).toEqual({ outcome: "timed_out" });
    expect(toggled("took", "1000", { took: 100 })).toEqual({ took: 1_000 });
    expect(toggled("took", "1000", { took: 1_000 })).toEqual({});
  });

  it("lists a chosen value even when no row has it", () => {
    expect(choicesOf("method", facets, { method: "prompts/get" }, t, "en").map((choice) => choice.value)).toEqual([
      "prompts/get",
      "ping",
      "tools/call",
    ]);
    expect(choicesOf("took", facets, { took: 250 }, t, "en").map((choice) => choice.value)).toEqual([
      "250",
      "100",
      "1000",
      "10000",
      "60000",
    ]);
    expect(choicesOf("server", facets, { server: "git" }, t, "en").map((choice) => choice.value)).toEqual(["git", "github"]);
  });

  it("offers the apps beside the servers", () => {
    expect(choicesOf("app", facets, {}, t, "en").map((choice) => choice.value)).toEqual(["cursor"]);
    expect(toggled("app", "cursor", { server: "git" })).toEqual({ server: "git", app: "cursor" });
    expect(toggled("app", "cursor", { app: "cursor" })).toEqual({});
  });

  it("shows hidden characters of names", () => {
    expect(choicesOf("server", { ...facets, sources: ["git\u202ehub"] }, {}, t, "en")[0]?.label).toBe("git⟨U+202E⟩hub");
  });

  it("tells what is chosen", () => {
    expect(chosenOf("kind", { kind: "gap,frame" })).toEqual(["frame", "gap"]);
    expect(chosenOf("direction", {})).toEqual([]);
  });
});
