import { ChevronDown, PanelLeft } from "lucide-react";
import { Popover } from "radix-ui";
import { type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";

/** The selected item, and the tree in a popover, if there is no room for the tree. */
export function TreePopover({
  open,
  onOpenChange,
  chosen,
  children,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  chosen: string | null;
  children: ReactNode;
}) {
  const { t } = useTranslation("workbench");
  return (
    <Popover.Root open={open} onOpenChange={onOpenChange}>
      <Popover.Trigger
        id="workbench-tree-opener"
        className="flex h-7 max-w-full min-w-0 items-center gap-1.5 rounded-s px-1.5 text-fg-2 transition-colors hover:bg-hover hover:text-fg data-[state=open]:bg-hover"
      >
        <Icon of={PanelLeft} />
        <span className="min-w-0 truncate">{chosen ?? t("pick.title")}</span>
        <Icon of={ChevronDown} size={12} className="shrink-0 text-fg-3" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={6}
          collisionPadding={8}
          aria-label={t("tree.label")}
          onOpenAutoFocus={(event) => {
            event.preventDefault();
            if (event.target instanceof HTMLElement) event.target.querySelector("input")?.focus();
          }}
          className="z-40 flex h-[min(70vh,560px)] w-80 flex-col overflow-hidden rounded-m border border-line bg-raised shadow-float data-[state=open]:animate-in"
        >
          {children}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
