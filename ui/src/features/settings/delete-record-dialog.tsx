import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import { call, IpcError } from "@/ipc/bridge";
import { appInfo } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { formatCount } from "@/lib/format";
import { toast } from "@/lib/toasts";

/** Deleting every recorded event, which nothing brings back. */
export function DeleteRecordDialog({ rows, onClose }: { rows: number; onClose: () => void }) {
  const { t, i18n } = useTranslation("settings");
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<IpcError | null>(null);
  const remove = async () => {
    setBusy(true);
    setError(null);
    try {
      const count = await call("clear_log", {});
      await client.invalidateQueries({ queryKey: appInfo().queryKey });
      onClose();
      toast({ text: t("data.deleted", { count, shown: formatCount(count, i18n.language) }) });
    } catch (failure) {
      setError(IpcError.from(failure));
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      size="s"
      onOpenChange={(open) => !open && onClose()}
      title={t("data.deleteTitle", { count: rows, shown: formatCount(rows, i18n.language) })}
      description={t("data.deleteText")}
      footer={
        <>
          <span className="flex-1" />
          <Button onClick={onClose}>{t("cancel", { ns: "common" })}</Button>
          <Button look="danger" busy={busy} onClick={() => void remove()}>
            {t("data.deleteNow")}
          </Button>
        </>
      }
    >
      {error !== null && <ErrorNotice title={t("data.deleteFailed")} answers {...errorWords(error)} />}
    </Dialog>
  );
}
