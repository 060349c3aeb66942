import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { visibleLine } from "@/lib/untrusted";

/** Asks before an app's token is replaced or revoked: what uses it then no longer gets in. */
export function TokenDialog({
  kind,
  name,
  onSubmit,
  onClose,
}: {
  kind: "renew" | "revoke";
  name: string;
  onSubmit: () => void;
  onClose: () => void;
}) {
  const { t } = useTranslation("apps");
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="s"
      title={t(`http.${kind}.title`, { name: visibleLine(name) })}
      footer={
        <>
          <span className="flex-1" />
          <Button onClick={onClose}>{t("cancel", { ns: "common" })}</Button>
          <Button
            look={kind === "renew" ? "primary" : "primaryDanger"}
            onClick={() => {
              onClose();
              onSubmit();
            }}
          >
            {t(`http.${kind}.submit`)}
          </Button>
        </>
      }
    >
      <p className="m-0 text-fg-2">{t(`http.${kind}.text`)}</p>
    </Dialog>
  );
}
