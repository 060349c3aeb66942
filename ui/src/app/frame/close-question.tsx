import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import type { CloseAnswer } from "@/ipc/bindings/CloseAnswer";
import { useCommand } from "@/lib/use-command";

/** Asks what closing the window should do, when it is closed for the first time. Esc leaves the window open. */
export function CloseQuestion({ tray, onClose }: { tray: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { run } = useCommand();
  const answer = (choice: CloseAnswer) => {
    onClose();
    void run("answer_close", { answer: choice });
  };
  return (
    <Dialog
      open
      size="s"
      onOpenChange={(open) => !open && answer("cancel")}
      title={t("closing.title")}
      description={t(tray ? "closing.tray" : "closing.noTray")}
      footer={
        <>
          <span className="flex-1" />
          <Button onClick={() => answer("quit")}>{t("closing.quit")}</Button>
          <Button look="primary" onClick={() => answer("keep_running")}>
            {t("closing.keep")}
          </Button>
        </>
      }
    >
      <p className="m-0 text-fg-2">{t("closing.later")}</p>
    </Dialog>
  );
}
