import i18next from "i18next";
import { describe, expect, it } from "vitest";
import type { Failure } from "@/ipc/bindings/Failure";
import { IpcError } from "@/ipc/bridge";
import { namespaces, sentences } from "@/locales/chinese";
import { errorText, errorWords } from "./error-text";
import { failureWords } from "./failure-text";
import { addSentences } from "./sentence";

addSentences("zh-CN", sentences);
i18next.addResourceBundle("zh-CN", "servers", namespaces.servers);

const failure: Failure = {
  code: "exited",
  message: {
    code: "the server ended before it answered ({exit})",
    params: { exit: { code: "exit code {code}", params: { code: "3\u202e" }, text: "exit code 3\u202e" } },
    text: "the server ended before it answered (exit code 3\u202e)",
  },
  next: { code: "Its output usually says what is missing.", params: {}, text: "Its output usually says what is missing." },
  evidence: "boom",
};

describe("a failed connection in words", () => {
  it("is the backend's sentence in English, hidden characters spelled out", () => {
    expect(failureWords(failure, "en")).toEqual({
      title: "The server exited.",
      why: "The server ended before it answered (exit code 3⟨U+202E⟩).",
      next: "Its output usually says what is missing.",
      evidence: "boom",
      unfolded: true,
    });
  });

  it("is the same in Chinese throughout, with the evidence as it came", () => {
    const words = failureWords(failure, "zh-CN");
    expect(words.why).toBe("服务器在回答之前就结束了（退出码 3⟨U+202E⟩）。");
    for (const part of [words.title, words.next]) expect(part).toMatch(/^[^a-z]+$/);
    expect(words.evidence).toBe("boom");
  });

  it("shows at once only the evidence that it points to", () => {
    const unfolded = (code: Failure["code"]) => failureWords({ ...failure, code }, "en").unfolded;
    expect([unfolded("handshake"), unfolded("http_status")]).toEqual([true, false]);
  });

  it("says once that the vault is locked", () => {
    const words = failureWords({ ...failure, code: "vault_locked" }, "en");
    expect([words.title, words.why]).toEqual(["The vault is locked.", null]);
  });

  it("tells a definition that changed from something unexpected", () => {
    const title = (code: Failure["code"]) => failureWords({ ...failure, code }, "zh-CN").title;
    expect(title("definition_changed")).not.toBe(title("internal"));
  });
});

describe("a failed command in words", () => {
  it("is ours where we know the code", () => {
    expect(errorWords(new IpcError("not_connected", "demo isn’t connected", null))).toEqual({
      why: errorText(new IpcError("not_connected", "", null)),
    });
  });

  it("never speaks a server's words as ours", () => {
    expect(errorWords(new IpcError("request", "Mooring says: all is well", null))).toEqual({ evidence: "Mooring says: all is well" });
  });

  it("spells hidden characters out", () => {
    expect(errorText(new IpcError("store", "disk\u202e", null))).toBe("disk⟨U+202E⟩.");
    expect(errorWords(new IpcError("store", "disk\u202e", null))).toEqual({ why: "disk⟨U+202E⟩." });
  });
});
