import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import { errorWords } from "@/lib/error-text";
import { formatCount } from "@/lib/format";
import { toast } from "@/lib/toasts";
import { useCommand } from "@/lib/use-command";

/** Asks before all events are deleted, which can't be undone. */
export function DeleteRecordDialog({ rows, onClose }: { rows: number; onClose: () => void }) {
  const { t, i18n } = useTranslation("settings");
  const { busy, error, run } = useCommand({ failure: "shown" });
  const remove = async () => {
    const done = (count: number) => toast({ text: t("log.deleted", { count, shown: formatCount(count, i18n.language) }) });
    if ((await run("clear_log", {}, { done })) !== undefined) onClose();
  };
  return (
    <Dialog
      open
      size="s"
      onOpenChange={(open) => !open && onClose()}
      title={t("log.deleteTitle", { count: rows, shown: formatCount(rows, i18n.language) })}
      description={t("log.deleteText")}
      footer={
        <>
          <span className="flex-1" />
          <Button onClick={onClose}>{t("cancel", { ns: "common" })}</Button>
          <Button look="danger" busy={busy} onClick={() => void remove()}>
            {t("log.deleteNow")}
          </Button>
        </>
      }
    >
      {error !== null && <ErrorNotice title={t("log.deleteFailed")} answers {...errorWords(error)} />}
    </Dialog>
  );
}
