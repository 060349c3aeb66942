import { Dialog } from "radix-ui";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { giveFocusBack } from "@/lib/focus-return";
import { PaletteBox } from "./palette-box";

/** The palette: searches or runs anything. Not rendered until it is opened. */
export function Palette({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const { t } = useTranslation("palette");
  /** Goes back by one level, if possible. */
  const back = useRef<(() => void) | null>(null);
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <Dialog.Content
          data-modal
          aria-describedby={undefined}
          onCloseAutoFocus={giveFocusBack}
          onEscapeKeyDown={(event) => {
            if (back.current === null) return;
            event.preventDefault();
            back.current();
          }}
          className="fixed top-[max(24px,12vh)] left-1/2 z-50 flex max-h-[min(460px,calc(88vh-48px))] w-155 max-w-[calc(100vw-48px)] -translate-x-1/2 flex-col overflow-hidden rounded-l border border-line bg-raised shadow-modal"
        >
          <Dialog.Title className="sr-only">{t("title")}</Dialog.Title>
          <PaletteBox back={back} onDone={() => onOpenChange(false)} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
