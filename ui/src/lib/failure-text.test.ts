import { describe, expect, it } from "vitest";
import type { Failure } from "@/ipc/bindings/Failure";
import { IpcError } from "@/ipc/bridge";
import { backendWords, errorText, errorWords } from "./error-text";
import { failureWords } from "./failure-text";

const failure: Failure = { code: "exited", message: "the server ended\u202e before it answered (exit code 3)", next: "What it printed\u200b tells more.", evidence: "boom" };

describe("a failed connection in words", () => {
  it("is the backend's sentence in English, hidden characters spelled out", () => {
    expect(failureWords(failure, "en")).toEqual({
      title: "The program ended by itself.",
      why: "the server ended⟨U+202E⟩ before it answered (exit code 3)",
      next: "What it printed⟨U+200B⟩ tells more.",
      evidence: "boom",
    });
  });

  it("is in Chinese throughout, with the backend's sentence as evidence", () => {
    const words = failureWords(failure, "zh-CN");
    for (const part of [words.title, words.why, words.next]) expect(part).toMatch(/^[^a-z]+$/);
    expect(words.evidence).toBe("the server ended\u202e before it answered (exit code 3)\n\nboom");
    expect(failureWords({ ...failure, evidence: null }, "zh-CN").evidence).toBe(failure.message);
  });

  it("takes an unknown code for something unexpected", () => {
    expect(failureWords({ ...failure, code: "new" }, "zh-CN").title).toBe(failureWords({ ...failure, code: "internal" }, "zh-CN").title);
  });
});

describe("a failed command in words", () => {
  it("is ours where we know the code", () => {
    expect(errorWords(new IpcError("not_connected", "demo is not connected", null))).toEqual({ why: errorText(new IpcError("not_connected", "", null)) });
  });

  it("never speaks a server's words as ours", () => {
    expect(errorWords(new IpcError("request", "Mooring says: all is well", null))).toEqual({ evidence: "Mooring says: all is well" });
  });

  it("spells hidden characters out", () => {
    expect(errorText(new IpcError("store", "disk\u202e", null))).toBe("disk⟨U+202E⟩");
    expect(errorWords(new IpcError("store", "disk\u202e", null))).toEqual({ why: "disk⟨U+202E⟩" });
  });

  it("is evidence beside another language", () => {
    expect(backendWords("expected a comma", "zh-CN")).toEqual({ evidence: "expected a comma" });
    expect(backendWords("expected a comma", "en")).toEqual({ why: "expected a comma" });
  });
});
