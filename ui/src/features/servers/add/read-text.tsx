import { CircleCheck } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Icon } from "@/components/icon";
import type { Sentence } from "@/ipc/bindings/Sentence";
import { sentence } from "@/lib/sentence";

/** Takes the focus of the removed editor, so that the dialog's keys still work. */
const keepKeyboard = (line: HTMLElement | null) => {
  if (document.activeElement === null || document.activeElement === document.body) line?.focus();
};

/** A valid text, as one line instead of the editor, so that its entries come first: what it was read as, and its length. */
export function ReadText({ text, readAs, onEdit }: { text: string; readAs: Sentence | null; onEdit: () => void }) {
  const { t } = useTranslation("servers");
  const lines = text.trimEnd().split("\n").length;
  return (
    <div
      ref={keepKeyboard}
      tabIndex={-1}
      role="status"
      className="flex basis-full items-center gap-2 rounded-m border border-line bg-sunken py-0.5 pr-0.5 pl-3 outline-none"
    >
      <Icon of={CircleCheck} className="shrink-0 text-ok" />
      <span className="min-w-0 flex-1 wrap-any tabular">
        {readAs !== null && <span className="mr-2">{t("import.readAs", { what: sentence(readAs) })}</span>}
        {(lines > 1 || readAs === null) && <span className="text-fg-3">{t("import.read", { count: lines })}</span>}
      </span>
      <Button look="ghost" className="h-6.5" onClick={onEdit}>
        {t("import.edit")}
      </Button>
    </div>
  );
}
