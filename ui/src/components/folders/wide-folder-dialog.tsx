import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { UntrustedText } from "@/components/their-voice";

/** The second confirmation before a folder is granted that is much larger than a project. */
export function WideFolderDialog({
  path,
  every,
  onGrant,
  onClose,
}: {
  path: string;
  every: boolean;
  onGrant: () => void;
  onClose: () => void;
}) {
  const { t } = useTranslation("roots");
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="s"
      title={t("tooWide.title")}
      footer={
        <>
          <span className="flex-1" />
          <Button onClick={onClose}>{t("tooWide.other")}</Button>
          <Button look="danger" onClick={onGrant}>
            {t("tooWide.submit")}
          </Button>
        </>
      }
    >
      <p className="mono selectable m-0 rounded-m border border-line bg-sunken px-3 py-2 wrap-any">
        <UntrustedText text={path} />
      </p>
      <p className="mt-2 mb-0 text-fg-2">{t(every ? "tooWide.every" : "tooWide.one")}</p>
    </Dialog>
  );
}
