import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { giveFocusBack } from "@/lib/focus-return";
import { sparedByToasts } from "@/lib/toasts";

/** A pane at the right edge, if there is no room beside the page. The page stays usable. */
export function Sheet({
  open,
  onOpenChange,
  title,
  children,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Its accessible name. The visible heading is one of the children. */
  title: string;
  children: ReactNode;
}) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange} modal={false}>
      <Radix.Portal>
        <Radix.Content
          aria-describedby={undefined}
          onInteractOutside={(event) => event.preventDefault()}
          onOpenAutoFocus={(event) => {
            // Never focus a button: only the person chooses what Space presses.
            event.preventDefault();
            if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus();
          }}
          onCloseAutoFocus={giveFocusBack}
          onEscapeKeyDown={sparedByToasts}
          className="fixed top-(--bar-height) right-0 bottom-(--status-height) z-30 flex w-110 max-w-[calc(100vw-64px)] flex-col border-l border-line bg-surface shadow-modal outline-none data-[state=open]:animate-slide"
        >
          <Radix.Title className="sr-only">{title}</Radix.Title>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
