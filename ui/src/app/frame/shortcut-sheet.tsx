import { useTranslation } from "react-i18next";
import { Dialog, DialogReading } from "@/components/dialog";
import { ShortcutList } from "@/components/shortcut-list";

/** The cheat sheet behind `?`. */
export function ShortcutSheet({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const { t } = useTranslation();
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t("shortcuts.title")} size="l" bare>
      <DialogReading label={t("shortcuts.title")}>
        <ShortcutList />
      </DialogReading>
    </Dialog>
  );
}
