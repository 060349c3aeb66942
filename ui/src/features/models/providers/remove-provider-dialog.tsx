import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import type { ProviderView } from "@/ipc/bindings/ProviderView";
import { visibleLine } from "@/lib/untrusted";

/** Asks before a provider is removed with its key, which cannot be restored. */
export function RemoveProviderDialog({
  provider,
  onRemove,
  onClose,
}: {
  provider: ProviderView;
  onRemove: () => void;
  onClose: () => void;
}) {
  const { t } = useTranslation("models");
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="s"
      title={t("removal.title", { name: visibleLine(provider.name) })}
      footer={
        <>
          <span className="flex-1" />
          <Button onClick={onClose}>{t("cancel", { ns: "common" })}</Button>
          <Button
            look="danger"
            onClick={() => {
              onClose();
              onRemove();
            }}
          >
            {t("removal.submit")}
          </Button>
        </>
      }
    >
      <p className="m-0 text-fg-2">{t(provider.hasKey ? "removal.withKey" : "removal.text")}</p>
    </Dialog>
  );
}
