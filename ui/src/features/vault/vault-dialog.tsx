import { useTranslation } from "react-i18next";
import { Dialog, DialogBody, DialogFooter } from "@/components/dialog";
import { Button } from "@/components/button";
import { ErrorNotice } from "@/components/error-notice";
import { Spinner } from "@/components/spinner";
import { VaultCard } from "@/components/vault-card";
import type { VaultView } from "@/ipc/bindings/VaultView";
import { errorWords } from "@/lib/error-text";
import { showOverlay, vaultOpened } from "@/lib/overlays";
import { sentence, wholeSentence } from "@/lib/sentence";
import { toast } from "@/lib/toasts";
import { vaultStep } from "@/lib/vault";
import { useVaultAct } from "./act";
import { FirstKey } from "./first-key";
import { Unlock } from "./unlock";

/** The available actions for the vault's current state. */
export function VaultDialog({ vault, onClose }: { vault: VaultView; onClose: () => void }) {
  const { t } = useTranslation("vault");
  const step = vaultStep(vault);
  const opened = () => {
    toast({ text: t("opened") });
    vaultOpened();
  };
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={t(`dialog.${step}`)} bare>
      {step === "enter" ? (
        <Unlock vault={vault} onOpened={opened} onCancel={onClose} />
      ) : step === "choose" ? (
        <FirstKey vault={vault} onOpened={opened} onCancel={onClose} />
      ) : step === "wait" ? (
        <DialogBody>
          <p role="status" className="m-0 flex items-center gap-2 text-fg-2">
            <Spinner />
            {t("means.opening")}
          </p>
        </DialogBody>
      ) : step === "keep" ? (
        <Kept vault={vault} onOpened={opened} onCancel={onClose} />
      ) : (
        <Again vault={vault} mend={step === "mend"} onOpened={opened} onCancel={onClose} />
      )}
    </Dialog>
  );
}

/** Nothing needs to be done. A closed vault can still be opened. */
function Kept({ vault, onOpened, onCancel }: { vault: VaultView; onOpened: () => void; onCancel: () => void }) {
  const { t } = useTranslation("vault");
  const act = useVaultAct();
  const openIt = () => void act.run("open_vault", {}, ({ state }) => state === "open" && onOpened());
  return (
    <>
      <DialogBody>
        <VaultCard vault={vault} bare />
        {act.error !== null && <ErrorNotice title={t("failed")} answers className="mt-3" {...errorWords(act.error)} />}
      </DialogBody>
      {vault.state === "closed" && (
        <DialogFooter>
          <span className="flex-1" />
          <Button onClick={onCancel}>{t("later")}</Button>
          <Button look="primary" busy={act.busy} onClick={openIt}>
            {t("card.open")}
          </Button>
        </DialogFooter>
      )}
    </>
  );
}

/** Something must be done elsewhere first, and then retried. */
function Again({ vault, mend, onOpened, onCancel }: { vault: VaultView; mend: boolean; onOpened: () => void; onCancel: () => void }) {
  const { t, i18n } = useTranslation("vault");
  const act = useVaultAct();
  const again = () => void act.run("open_vault", {}, ({ state }) => state === "open" && onOpened());
  return (
    <>
      <DialogBody>
        <div className="flex flex-col gap-3">
          <ErrorNotice
            tone="warn"
            title={
              vault.message === null
                ? t(`state.${vault.state === "waiting" ? "waiting" : "locked"}`)
                : wholeSentence(vault.message, i18n.language)
            }
            why={mend ? null : t("untouched")}
            next={vault.next === null ? null : sentence(vault.next, i18n.language)}
          />
          {vault.state === "unavailable" && <p className="m-0 text-fg-2">{t("mend")}</p>}
          {act.error !== null && <ErrorNotice title={t("failed")} answers {...errorWords(act.error)} />}
        </div>
      </DialogBody>
      <DialogFooter>
        {mend && (
          <Button look="danger" onClick={() => showOverlay("vault_over")}>
            {t("card.startOver")}
          </Button>
        )}
        <span className="flex-1" />
        <Button onClick={onCancel}>{t("later")}</Button>
        <Button look="primary" busy={act.busy} onClick={again}>
          {t("tryAgain", { ns: "common" })}
        </Button>
      </DialogFooter>
    </>
  );
}
