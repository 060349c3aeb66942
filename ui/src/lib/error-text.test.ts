import { describe, expect, it } from "vitest";
import { IpcError } from "@/ipc/bridge";
import { wantsVault } from "./error-text";

describe("a command that is refused", () => {
  it("asks for the vault only where opening it helps", () => {
    const wants = (code: string, details: unknown = null) => wantsVault(new IpcError(code, "x", details));
    expect(["vault_locked", "vault_unavailable", "vault_waiting"].map((code) => wants(code))).toEqual([true, true, true]);
    expect(["vault_busy", "vault", "wrong_passphrase", "sign_in", "internal"].map((code) => wants(code))).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
    expect([wants("sign_in", { code: "vault" }), wants("sign_in", { code: "ended" })]).toEqual([true, false]);
    expect(wantsVault(new Error("x"))).toBe(false);
  });
});
