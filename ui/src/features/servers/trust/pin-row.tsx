import { ChevronRight, Eye, LayoutTemplate, type LucideIcon, MessageSquareText, ScrollText, Server, Wrench } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import type { PinKind } from "@/ipc/bindings/PinKind";
import type { PinView } from "@/ipc/bindings/PinView";
import { cx } from "@/lib/cx";
import { visibleLine } from "@/lib/untrusted";
import { PinDetails } from "./pin-details";
import { PinMark } from "./pin-mark";

const icons: Record<PinKind, LucideIcon> = {
  server: Server,
  instructions: ScrollText,
  tool: Wrench,
  prompt: MessageSquareText,
  template: LayoutTemplate,
};

/** One thing that can be approved; its details open below it. */
export function PinRow({ pin, server, busy, onApprove }: { pin: PinView; server: string; busy: boolean; onApprove: () => void }) {
  const { t } = useTranslation("trust");
  const [open, setOpen] = useState(pin.state === "changed" || (pin.state === "new" && (pin.hidden.length > 0 || pin.whole !== null)));
  return (
    <li className="border-b border-line last:border-0">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="inset-focus flex w-full min-w-0 items-center gap-2 px-3 py-2 text-left transition-colors hover:bg-hover"
      >
        <Icon of={ChevronRight} className={cx("shrink-0 text-fg-3 transition-transform", open && "rotate-90")} />
        <Icon of={icons[pin.kind]} className="shrink-0 text-fg-3" />
        <span className="min-w-0 flex-1 truncate">
          {pin.name === "" ? (
            t(`kind.${pin.kind}`)
          ) : (
            <bdi className="mono" title={visibleLine(pin.name)}>
              {visibleLine(pin.name)}
            </bdi>
          )}
          {pin.name !== "" && <span className="ml-2 text-sm text-fg-3">{t(`kind.${pin.kind}`)}</span>}
        </span>
        {pin.hidden.length > 0 && (
          <span className="inline-flex shrink-0 items-center text-warn">
            <Icon of={Eye} />
            <span className="sr-only">{t("hidden.mark")}</span>
          </span>
        )}
        <PinMark state={pin.state} />
      </button>
      {open && (
        <div className="px-3 pt-1 pb-3">
          <PinDetails pin={pin} server={server} busy={busy} onApprove={onApprove} />
        </div>
      )}
    </li>
  );
}
