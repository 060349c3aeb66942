import { useTranslation } from "react-i18next";
import { Button } from "./button";
import { Dialog } from "./dialog";

/** Asks before an action that can’t be undone, such as replacing a key. */
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
  /** The label of the confirming button. */
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
