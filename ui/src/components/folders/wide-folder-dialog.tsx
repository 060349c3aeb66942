import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";

/** The second yes before a folder is granted that holds far more than one project. */
export function WideFolderDialog({ why, every, onGrant, onClose }: { /** What it holds, as the refusal says it. */ why: string; every: boolean; onGrant: () => void; onClose: () => void }) {
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
          <Button look="danger" onClick={onGrant}>{t("tooWide.submit")}</Button>
        </>
      }
    >
      <p className="selectable m-0 rounded-m border border-line bg-sunken px-3 py-2 wrap-any">{why}</p>
      <p className="mt-2 mb-0 text-fg-2">{t(every ? "tooWide.every" : "tooWide.one")}</p>
    </Dialog>
  );
}
