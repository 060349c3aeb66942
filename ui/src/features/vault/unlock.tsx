import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { DialogBody, DialogFooter } from "@/components/dialog";
import { Field } from "@/components/field";
import { SecretInput } from "@/components/secret-input";
import type { VaultView } from "@/ipc/bindings/VaultView";
import { errorText } from "@/lib/error-text";
import { showOverlay } from "@/lib/overlays";
import { useVaultAct } from "./act";

/** Asks for the passphrase. After a wrong one it can be typed again. */
export function Unlock({ vault, onOpened, onCancel }: { vault: VaultView; onOpened: () => void; onCancel: () => void }) {
  const { t } = useTranslation("vault");
  const field = useRef<HTMLInputElement>(null);
  const [passphrase, setPassphrase] = useState("");
  const act = useVaultAct();
  const wrong = act.error?.code === "wrong_passphrase";
  const again = () => {
    setPassphrase("");
    field.current?.focus();
  };
  const unlock = () => act.run("unlock_vault", { passphrase }, ({ state }) => (state === "open" ? onOpened() : again()), again);
  return (
    <form
      className="flex min-h-0 flex-1 flex-col"
      onSubmit={(event) => {
        event.preventDefault();
        if (passphrase !== "" && !act.busy) void unlock();
      }}
    >
      <DialogBody>
        <p className="m-0 mb-3 text-fg-2">{t("unlock.text", { count: vault.sealed })}</p>
        <Field label={t("unlock.passphrase")} error={act.error !== null && (wrong ? t("unlock.wrong") : errorText(act.error))}>
          {(wiring) => (
            <SecretInput
              ref={field}
              {...wiring}
              value={passphrase}
              onChange={(event) => {
                setPassphrase(event.target.value);
                act.clear();
              }}
            />
          )}
        </Field>
      </DialogBody>
      <DialogFooter>
        <Button look="ghost" onClick={() => showOverlay("vault_over")}>
          {t("unlock.forgotten")}
        </Button>
        <span className="flex-1" />
        <Button onClick={onCancel}>{t("later")}</Button>
        <Button type="submit" look="primary" busy={act.busy} disabled={passphrase === ""} keys="enter">
          {t("unlock.submit")}
        </Button>
      </DialogFooter>
    </form>
  );
}
