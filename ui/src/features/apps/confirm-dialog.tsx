import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";

/** Asks before a key or token is replaced or taken away: what uses it then no longer gets in. */
export function ConfirmDialog({
  title,
  text,
  submit,
  danger = false,
  onSubmit,
  onClose,
}: {
  title: string;
  text: string;
  /** What the button says that does it. */
  submit: string;
  danger?: boolean;
  onSubmit: () => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="s"
      title={title}
      footer={
        <>
          <span className="flex-1" />
          <Button onClick={onClose}>{t("cancel")}</Button>
          <Button
            look={danger ? "primaryDanger" : "primary"}
            onClick={() => {
              onClose();
              onSubmit();
            }}
          >
            {submit}
          </Button>
        </>
      }
    >
      <p className="m-0 text-fg-2">{text}</p>
    </Dialog>
  );
}
