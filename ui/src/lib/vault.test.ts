import { describe, expect, it } from "vitest";
import type { VaultView } from "@/ipc/bindings/VaultView";
import { blocked, passphraseProblem, passphraseStrength, reasonOf, vaultStep, vaultWord } from "./vault";

const view = (part: Partial<VaultView>): VaultView => ({
  state: "open",
  mode: "keychain",
  reason: null,
  message: null,
  next: null,
  sealed: 0,
  ...part,
});

describe("the vault", () => {
  it("has a word for every state, and says where the key is when it is open", () => {
    expect((["keychain", "passphrase", "memory"] as const).map((mode) => vaultWord(view({ mode })))).toEqual([
      "keychain",
      "passphrase",
      "memory",
    ]);
    expect(
      (["closed", "opening", "waiting", "locked", "unavailable"] as const).map((state) => vaultWord(view({ state, mode: null }))),
    ).toEqual(["closed", "opening", "waiting", "locked", "unavailable"]);
    // The key exists but can't be reached.
    expect(vaultWord(view({ state: "unavailable", mode: "keychain" }))).toBe("locked");
  });
  it("blocks only where a person has to do something", () => {
    expect(
      (["closed", "opening", "waiting", "open", "locked", "unavailable"] as const).filter((state) => blocked(view({ state }))),
    ).toEqual(["waiting", "locked", "unavailable"]);
  });
  it("says why only where that is more than its state", () => {
    const message = { code: "why", params: {}, text: "why" };
    const reasons = [
      view({ state: "locked", reason: "passphrase", message }),
      view({ state: "waiting", message }),
      view({ message }),
      view({ state: "locked", reason: "key_missing", message }),
      view({ state: "unavailable", mode: null, message }),
    ].map(reasonOf);
    expect(reasons).toEqual([null, null, null, message, message]);
  });
  it("asks for what helps in its state", () => {
    const locked = (reason: string) => vaultStep(view({ state: "locked", reason }));
    expect(
      ["passphrase", "keychain_locked", "records", "key_missing", "other_key", "memory", "unknown", "unfit_header"].map(locked),
    ).toEqual(["enter", "again", "again", "mend", "mend", "mend", "mend", "mend"]);
    // Another place can only be chosen while there is no key.
    expect([vaultStep(view({ state: "unavailable", mode: null })), vaultStep(view({ state: "unavailable" }))]).toEqual(["choose", "mend"]);
    expect([
      vaultStep(view({ state: "waiting" })),
      vaultStep(view({ state: "opening" })),
      vaultStep(view({ state: "closed" })),
      vaultStep(view({})),
    ]).toEqual(["again", "wait", "keep", "keep"]);
  });
});

describe("a new passphrase", () => {
  it("has eight characters, however many bytes they take, and is typed twice the same", () => {
    expect([
      passphraseProblem("1234567", "1234567"),
      passphraseProblem("𝄞𝄞𝄞𝄞", "𝄞𝄞𝄞𝄞"),
      passphraseProblem("12345678", "1234567"),
      passphraseProblem("八个汉字也是可以", "八个汉字也是可以"),
    ]).toEqual(["short", "short", "differs", null]);
  });
  it("is called good when it is long and varied", () => {
    expect(["short", "12345678", "aaaaaaaaaaaaaaaaaaaa", "Harbour-Lamp-14", "four unrelated words here"].map(passphraseStrength)).toEqual([
      "short",
      "fair",
      "fair",
      "good",
      "good",
    ]);
  });
});
