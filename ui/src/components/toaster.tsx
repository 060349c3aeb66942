import { CircleX, X } from "lucide-react";
import { Toast } from "radix-ui";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import { dismissToast, useToasts, useToastsLifted } from "@/lib/toasts";
import { Button, IconButton } from "./button";
import { Icon } from "./icon";
import { UntrustedText } from "./their-voice";

/** Where toasts appear: bottom right, over everything, reachable with F8. */
export function Toaster() {
  const { t } = useTranslation();
  const toasts = useToasts();
  // Not by a variable of the whole document: each change of one is kept by WebKit (ADR 0006).
  const lifted = useToastsLifted();
  return (
    <Toast.Provider label={t("toast.one")} duration={6000} swipeDirection="right">
      {toasts.map((item) => (
        <Toast.Root
          key={item.id}
          type={item.tone === "bad" ? "foreground" : "background"}
          duration={item.action || item.tone === "bad" ? 10_000 : 4000}
          onOpenChange={(open) => !open && dismissToast(item.id)}
          className="flex items-center gap-2 rounded-m border border-line bg-raised py-1.5 pr-1.5 pl-3.5 shadow-float data-[state=open]:animate-rise"
        >
          {item.tone === "bad" && <Icon of={CircleX} className="shrink-0 text-bad" />}
          <Toast.Description className="selectable min-w-0 flex-1 py-1 text-balance wrap-any">
            <UntrustedText text={item.text} />
          </Toast.Description>
          {item.action && (
            <Toast.Action altText={item.action.label} asChild>
              <Button look="ghost" className="text-accent!" onClick={item.action.run}>
                {item.action.label}
              </Button>
            </Toast.Action>
          )}
          <Toast.Close asChild>
            <IconButton icon={X} label={t("dismiss")} small />
          </Toast.Close>
        </Toast.Root>
      ))}
      <Toast.Viewport
        label={t("toast.list", { hotkey: "{hotkey}" })}
        className={cx(
          lifted ? "bottom-[calc(var(--status-height)+68px)]" : "bottom-[calc(var(--status-height)+12px)]",
          "fixed right-4 z-50 m-0 flex w-95 max-w-[calc(100vw-32px)] list-none flex-col gap-2 p-0",
        )}
      />
    </Toast.Provider>
  );
}
