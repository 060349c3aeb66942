import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog, DialogBody, DialogFooter } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import { Checkbox } from "@/components/toggles";
import { accounts, secrets } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { toast } from "@/lib/toasts";
import { useVaultAct } from "./act";

/** Deletes the key. Lists what is lost, and the person must confirm it. */
export function StartOverDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("vault");
  const id = useId();
  const [sure, setSure] = useState(false);
  const { data: logins = [] } = useQuery(accounts());
  const { data: sealed = [] } = useQuery(secrets());
  const act = useVaultAct();
  const done = () => {
    onClose();
    toast({ text: t("over.done") });
  };
  const live = logins.filter((login) => login.ended === null).length;
  const entered = sealed.filter((item) => item.entered).length;
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={t("over.title")} bare>
      <DialogBody>
        <p className="m-0 text-fg-2">{t("over.text")}</p>
        <ul className="mt-2 mb-3 list-disc pl-5 text-fg-2">
          <li>{t("over.logins", { count: live })}</li>
          <li>{t("over.secrets", { count: entered })}</li>
          <li>{t("over.servers")}</li>
        </ul>
        <div className="flex items-start gap-2.5 rounded-m border border-line bg-sunken px-3 py-2.5">
          <span className="mt-0.5 inline-flex">
            <Checkbox id={id} checked={sure} onChange={setSure} />
          </span>
          <label htmlFor={id} className="min-w-0 flex-1">
            {t("over.sure")}
          </label>
        </div>
        {act.error !== null && <ErrorNotice title={t("over.failed")} answers className="mt-3" {...errorWords(act.error)} />}
      </DialogBody>
      <DialogFooter>
        <span className="flex-1" />
        <Button onClick={onClose}>{t("cancel", { ns: "common" })}</Button>
        <Button look="danger" busy={act.busy} disabled={!sure} onClick={() => void act.run("start_over_vault", {}, done)}>
          {t("over.submit")}
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
