import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog, DialogBody, DialogFooter } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import type { VaultMode } from "@/ipc/bindings/VaultMode";
import type { VaultView } from "@/ipc/bindings/VaultView";
import { errorWords } from "@/lib/error-text";
import { toast } from "@/lib/toasts";
import { passphraseProblem } from "@/lib/vault";
import { useVaultAct } from "./act";
import { ModeChoice } from "./mode-choice";
import { NewPassphrase } from "./new-passphrase";

/** Creates a new key, in the same place or another. Everything is encrypted again with it. */
export function KeyDialog({ vault, onClose }: { vault: VaultView; onClose: () => void }) {
  const { t } = useTranslation("vault");
  // The existing key is valid, so a new one is created where the person wants it.
  const [mode, setMode] = useState<VaultMode | null>(vault.mode === null || vault.mode === "memory" ? "keychain" : null);
  const [typed, setTyped] = useState({ first: "", second: "" });
  const [tried, setTried] = useState(false);
  const act = useVaultAct();
  const short = mode === "passphrase" && passphraseProblem(typed.first, typed.second) === "short";
  const done = () => {
    onClose();
    toast({ text: t("key.done") });
  };
  const change = () => {
    setTried(true);
    if (mode === null) return;
    if (mode === "passphrase" && passphraseProblem(typed.first, typed.second) !== null) return;
    void act.run("rekey_vault", { choice: { mode, passphrase: mode === "passphrase" ? typed.first : null } }, done);
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t("key.title")}
      description={t("key.text", { count: vault.sealed })}
      bare
    >
      <form
        className="flex min-h-0 flex-1 flex-col"
        onSubmit={(event) => {
          event.preventDefault();
          if (!act.busy) change();
        }}
      >
        <DialogBody>
          <div className="flex flex-col gap-4">
            <ModeChoice modes={["keychain", "passphrase", "memory"]} value={mode} now={vault.mode} onChange={setMode} />
            {mode === "passphrase" && <NewPassphrase typed={typed} onChange={setTyped} tried={tried} />}
            {act.error !== null && <ErrorNotice title={t("key.failed")} answers {...errorWords(act.error)} />}
          </div>
        </DialogBody>
        <DialogFooter>
          <span className="flex-1" />
          <Button onClick={onClose}>{t("cancel", { ns: "common" })}</Button>
          <Button type="submit" look="primary" busy={act.busy} disabled={mode === null || short}>
            {t(mode === vault.mode ? "key.renew" : "key.move")}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
