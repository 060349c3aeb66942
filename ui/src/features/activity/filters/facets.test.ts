import { describe, expect, it } from "vitest";
import type { Translate } from "../words/event-words";
import { choicesOf, chosenOf, toggled } from "./facets";

const t = ((key: string) => key) as unknown as Translate;
const facets = { sources: ["git", "github"], methods: ["ping", "tools/call"], total: 9 };

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

  it("lists a chosen value even when no row has it", () => {
    expect(choicesOf("method", facets, { method: "prompts/get" }, t).map((choice) => choice.value)).toEqual([
      "prompts/get",
      "ping",
      "tools/call",
    ]);
    expect(choicesOf("server", facets, { server: "git" }, t).map((choice) => choice.value)).toEqual(["git", "github"]);
  });

  it("shows hidden characters of names", () => {
    expect(choicesOf("server", { ...facets, sources: ["git\u202ehub"] }, {}, t)[0]?.label).toBe("git⟨U+202E⟩hub");
  });

  it("tells what is chosen", () => {
    expect(chosenOf("kind", { kind: "gap,frame" })).toEqual(["frame", "gap"]);
    expect(chosenOf("direction", {})).toEqual([]);
  });
});
