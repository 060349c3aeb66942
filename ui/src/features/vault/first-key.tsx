import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { DialogBody, DialogFooter } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import type { VaultMode } from "@/ipc/bindings/VaultMode";
import type { VaultView } from "@/ipc/bindings/VaultView";
import { errorWords } from "@/lib/error-text";
import { wholeSentence } from "@/lib/sentence";
import { passphraseProblem } from "@/lib/vault";
import { useVaultAct } from "./act";
import { ModeChoice } from "./mode-choice";
import { NewPassphrase } from "./new-passphrase";

/** There is no keychain: choose a passphrase, this run only, or retry. */
export function FirstKey({ vault, onOpened, onCancel }: { vault: VaultView; onOpened: () => void; onCancel: () => void }) {
  const { t, i18n } = useTranslation("vault");
  const [mode, setMode] = useState<VaultMode>("passphrase");
  const [typed, setTyped] = useState({ first: "", second: "" });
  const [tried, setTried] = useState(false);
  const act = useVaultAct();
  const short = mode === "passphrase" && passphraseProblem(typed.first, typed.second) === "short";
  const done = ({ state }: VaultView) => state === "open" && onOpened();
  const again = () => void act.run("open_vault", {}, done);
  const create = () => {
    setTried(true);
    if (mode === "passphrase" && passphraseProblem(typed.first, typed.second) !== null) return;
    void act.run("create_vault", { choice: { mode, passphrase: mode === "passphrase" ? typed.first : null } }, done);
  };
  return (
    <form
      className="flex min-h-0 flex-1 flex-col"
      onSubmit={(event) => {
        event.preventDefault();
        if (!act.busy) create();
      }}
    >
      <DialogBody>
        <div className="flex flex-col gap-4">
          <div className="text-fg-2">
            {vault.message !== null && <p className="m-0 wrap-any">{wholeSentence(vault.message, i18n.language)}</p>}
            <p className="m-0">{t("choice.text")}</p>
          </div>
          <ModeChoice modes={["passphrase", "memory"]} value={mode} now={null} onChange={setMode} />
          {mode === "passphrase" && <NewPassphrase typed={typed} onChange={setTyped} tried={tried} />}
          {act.error !== null && <ErrorNotice title={t("failed")} answers {...errorWords(act.error)} />}
        </div>
      </DialogBody>
      <DialogFooter>
        <Button look="ghost" busy={act.busy} onClick={again}>
          {t("choice.again")}
        </Button>
        <span className="flex-1" />
        <Button onClick={onCancel}>{t("later")}</Button>
        <Button type="submit" look="primary" busy={act.busy} disabled={short}>
          {t(mode === "passphrase" ? "choice.passphrase.submit" : "choice.memory.submit")}
        </Button>
      </DialogFooter>
    </form>
  );
}
