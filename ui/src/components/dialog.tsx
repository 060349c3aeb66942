import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode, RefObject } from "react";
import { useTranslation } from "react-i18next";
import { KEEP_CLEAR } from "@/lib/clear-of";
import { cx } from "@/lib/cx";
import { giveFocusBack } from "@/lib/focus-return";
import { sparedByToasts } from "@/lib/toasts";
import { IconButton } from "./button";

const widths = { s: "max-w-105", m: "max-w-140", l: "max-w-170", xl: "max-w-245" } as const;

/** A modal question or form. Esc and the cross close it and never approve anything. */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  size = "m",
  footer,
  focusFirst,
  bare = false,
  children,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  description?: ReactNode;
  size?: keyof typeof widths;
  footer?: ReactNode;
  /** Gets the focus when the dialog opens. By default the first text field, or the dialog itself. */
  focusFirst?: RefObject<HTMLElement | null>;
  /** The children include their own DialogBody and DialogFooter, for example inside a form. */
  bare?: boolean;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 flex items-start justify-center overflow-y-auto bg-scrim px-6 pt-[8vh] pb-6 data-[state=open]:animate-in">
          <Radix.Content
            data-modal
            {...(description === undefined ? { "aria-describedby": undefined } : {})}
            onOpenAutoFocus={(event) => {
              // Never focus a button: only the person chooses what Enter presses.
              event.preventDefault();
              const content = event.currentTarget;
              if (!(content instanceof HTMLElement)) return;
              const field = content.querySelector<HTMLElement>("input:not([type=checkbox]), textarea, [contenteditable=true]");
              (focusFirst?.current ?? field ?? content).focus();
            }}
            onCloseAutoFocus={giveFocusBack}
            onEscapeKeyDown={sparedByToasts}
            onInteractOutside={sparedByToasts}
            className={cx(
              "flex max-h-[calc(92vh-24px)] w-full outline-none flex-col overflow-hidden rounded-l border border-line bg-surface shadow-modal data-[state=open]:animate-rise",
              widths[size],
            )}
          >
            <header className="flex shrink-0 items-start gap-2 py-3.5 pr-3 pl-5">
              <div className="min-w-0 flex-1 pt-1">
                <Radix.Title className="m-0 text-lg font-[620] tracking-[-.01em] wrap-any">{title}</Radix.Title>
                {description !== undefined && <Radix.Description className="mt-1 text-fg-2">{description}</Radix.Description>}
              </div>
              <Radix.Close asChild>
                <IconButton icon={X} label={t("close")} keys="escape" />
              </Radix.Close>
            </header>
            {bare ? children : <DialogBody>{children}</DialogBody>}
            {footer !== undefined && <DialogFooter>{footer}</DialogFooter>}
          </Radix.Content>
        </Radix.Overlay>
      </Radix.Portal>
    </Radix.Root>
  );
}

const body = "min-h-0 flex-1 overflow-y-auto px-5 pb-4";

/** The scrolling part of a dialog. With a label it can be focused, for the time in which nothing in it can. */
export function DialogBody({ label, children }: { label?: string | undefined; children: ReactNode }) {
  return (
    <div
      {...(label !== undefined && { role: "group", "aria-label": label, tabIndex: 0 })}
      className={cx(label !== undefined && "inset-focus", body)}
    >
      {children}
    </div>
  );
}

/** A dialog's body and footer as a form. */
export function DialogForm({ onSubmit, children }: { onSubmit: () => void; children: ReactNode }) {
  return (
    <form
      className="flex min-h-0 flex-1 flex-col"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}

const takeFocus = (reading: HTMLElement | null) => reading?.focus();

/** A scrolling part that only has text. Nothing in it can be focused, so it is focusable itself. */
export function DialogReading({
  label,
  focused = false,
  children,
}: {
  label: string;
  /** It replaces another part, and should get the focus. */
  focused?: boolean;
  children: ReactNode;
}) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
    <div ref={focused ? takeFocus : undefined} tabIndex={0} role="group" aria-label={label} className={`inset-focus ${body}`}>
      {children}
    </div>
  );
}

/** The part of a dialog with its buttons. */
export function DialogFooter({ children }: { children: ReactNode }) {
  return (
    <footer {...KEEP_CLEAR} className="flex shrink-0 items-center gap-2 border-t border-line bg-surface px-5 py-3">
      {children}
    </footer>
  );
}
