import {
  ChevronRight,
  Eye,
  LayoutTemplate,
  type LucideIcon,
  MessageSquareText,
  ScrollText,
  Server,
  Unplug,
  Wand,
  Wrench,
} from "lucide-react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import type { PinKind } from "@/ipc/bindings/PinKind";
import type { PinView } from "@/ipc/bindings/PinView";
import { cx } from "@/lib/cx";
import { visibleLine } from "@/lib/untrusted";
import { PinMark } from "./pin-mark";

const icons: Record<PinKind, LucideIcon> = {
  server: Server,
  instructions: ScrollText,
  tool: Wrench,
  prompt: MessageSquareText,
  template: LayoutTemplate,
};

/** One thing that can be approved; it is reviewed over the whole width of the window. */
export function PinRow({ pin, onReview }: { pin: PinView; onReview: (pin: PinView) => void }) {
  const { t } = useTranslation("trust");
  return (
    <li className="border-b border-line last:border-0">
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={() => onReview(pin)}
        className="inset-focus flex w-full min-w-0 items-center gap-2 px-3 py-2 text-left transition-colors hover:bg-hover"
      >
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
        {pin.forApps !== null && (
          <span
            title={t(pin.forApps.leftOut ? "forApps.leftOut" : "forApps.mended")}
            className={cx("inline-flex shrink-0 items-center", pin.forApps.leftOut ? "text-warn" : "text-info")}
          >
            <Icon of={pin.forApps.leftOut ? Unplug : Wand} />
            <span className="sr-only">{t(pin.forApps.leftOut ? "forApps.leftOut" : "forApps.mended")}</span>
          </span>
        )}
        <PinMark state={pin.state} />
        <Icon of={ChevronRight} className="shrink-0 text-fg-3" />
      </button>
    </li>
  );
}
