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
import { Chip } from "@/components/chip";
import { Icon } from "@/components/icon";
import { Checkbox } from "@/components/toggles";
import type { PinKind } from "@/ipc/bindings/PinKind";
import type { PinView } from "@/ipc/bindings/PinView";
import type { ToolHints } from "@/ipc/bindings/ToolHints";
import { cx } from "@/lib/cx";
import { claimsOf } from "@/lib/tool-claims";
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
export function PinRow({
  pin,
  hints,
  chosen,
  onChoose,
  onReview,
}: {
  pin: PinView;
  /** Where what a tool does is said in the row: what the server says of that. */
  hints?: ToolHints;
  /** Where it can be chosen with others. */
  chosen?: boolean;
  onChoose?: (chosen: boolean) => void;
  onReview: (pin: PinView) => void;
}) {
  const { t } = useTranslation("trust");
  const claim = hints && claimsOf(hints).find((said) => said === "destructive" || said === "readOnly");
  return (
    <li className="flex min-w-0 items-center border-b border-line last:border-0">
      {onChoose && (
        <span className="flex shrink-0 py-1 pr-1.5 pl-3">
          <Checkbox label={t("review.chooseItem", { name: visibleLine(pin.name) })} checked={chosen === true} onChange={onChoose} />
        </span>
      )}
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={() => onReview(pin)}
        className={cx(
          "inset-focus flex min-w-0 flex-1 items-center gap-2 py-2 pr-3 text-left transition-colors hover:bg-hover",
          onChoose ? "pl-1.5" : "pl-3",
        )}
      >
        <Icon of={icons[pin.kind]} className="shrink-0 text-fg-3" />
        <span data-name-cell className="min-w-0 flex-1 truncate">
          {pin.name === "" ? (
            t(`kind.${pin.kind}`)
          ) : (
            <bdi className="mono" title={visibleLine(pin.name)}>
              {visibleLine(pin.name)}
            </bdi>
          )}
          {pin.name !== "" && <span className="ml-2 text-sm text-fg-3">{t(`kind.${pin.kind}`)}</span>}
        </span>
        {claim !== undefined && <Chip tone={claim === "destructive" ? "bad" : "plain"}>{t(`claim.${claim}`, { ns: "common" })}</Chip>}
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
