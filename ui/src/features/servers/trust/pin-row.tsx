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
import { formatMoment } from "@/lib/format";
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

/** An item that can be approved. Its review fills the window. */
export function PinRow({
  pin,
  start,
  hints,
  chosen,
  onChoose,
  description,
  onReview,
}: {
  pin: PinView;
  /** For a server's definition: its command or URL. */
  start?: string;
  /** The claims about a tool's effects, if the row shows them. */
  hints?: ToolHints;
  /** Whether it is selected together with others. */
  chosen?: boolean;
  /** Null if it needs a separate review, which the box shows. */
  onChoose?: ((chosen: boolean) => void) | null;
  /** The server's description, if there is room for it. */
  description?: string | null;
  onReview: (pin: PinView) => void;
}) {
  const { t } = useTranslation("trust");
  const claim = hints && claimsOf(hints).find((said) => said === "destructive" || said === "readOnly");
  return (
    <li className="flex min-w-0 items-center border-b border-line last:border-0">
      {onChoose !== undefined && (
        <span title={onChoose === null ? t("review.byItself") : undefined} className="flex shrink-0 py-1 pr-1.5 pl-3">
          <Checkbox
            label={
              onChoose === null
                ? `${t("review.chooseItem", { name: visibleLine(pin.name) })}: ${t("review.byItself")}`
                : t("review.chooseItem", { name: visibleLine(pin.name) })
            }
            checked={chosen === true}
            disabled={onChoose === null}
            onChange={(next) => onChoose?.(next)}
          />
        </span>
      )}
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={() => onReview(pin)}
        className={cx(
          "inset-focus flex min-w-0 flex-1 items-center gap-2 py-2 pr-3 text-left transition-colors hover:bg-hover",
          onChoose === undefined ? "pl-3" : "pl-1.5",
        )}
      >
        <Icon of={icons[pin.kind]} className="shrink-0 text-fg-3" />
        <span className="flex min-w-0 flex-1 flex-col gap-0.5">
          <span data-name-cell className={start === undefined ? "truncate" : "line-clamp-6 wrap-any"}>
            {start !== undefined ? (
              <bdi className="mono" title={visibleLine(start)}>
                {visibleLine(start)}
              </bdi>
            ) : pin.name === "" ? (
              t(`kind.${pin.kind}`)
            ) : (
              <bdi className="mono" title={visibleLine(pin.name)}>
                {visibleLine(pin.name)}
              </bdi>
            )}
            {pin.name !== "" && <span className="ml-2 text-sm text-fg-3">{t(`kind.${pin.kind}`)}</span>}
          </span>
          {description && (
            <span data-theirs title={description} className="line-clamp-2 text-sm wrap-any text-fg-2">
              {description}
            </span>
          )}
          <Marks pin={pin} />
        </span>
        {claim !== undefined && <Chip tone={claim === "destructive" ? "bad" : "plain"}>{t(`claim.${claim}`, { ns: "common" })}</Chip>}
        {/* A list of new items only marks those that aren't new. */}
        {(hints === undefined || pin.state !== "new") && <PinMark state={pin.state} />}
        <Icon of={ChevronRight} className="shrink-0 text-fg-3" />
      </button>
    </li>
  );
}

/** Warnings as text. */
function Marks({ pin: { hidden, forApps, state, approvedAt } }: { pin: PinView }) {
  const { t, i18n } = useTranslation("trust");
  if (hidden.length === 0 && forApps === null) return null;
  return (
    <span className="flex flex-wrap gap-x-3 gap-y-0.5 text-sm">
      {hidden.length > 0 && (
        <span className="inline-flex items-center gap-1.5 text-warn">
          <Icon of={Eye} size={14} className="shrink-0" />
          <span>
            {t("hidden.mark")}
            {state === "approved" && approvedAt !== null && (
              <span className="text-fg-3">
                {" · "}
                {t("hidden.approved", { at: formatMoment(approvedAt, i18n.language) })}
              </span>
            )}
          </span>
        </span>
      )}
      {forApps !== null && (
        <span className={cx("inline-flex items-center gap-1.5", forApps.leftOut ? "text-warn" : "text-info")}>
          <Icon of={forApps.leftOut ? Unplug : Wand} size={14} className="shrink-0" />
          {t(forApps.leftOut ? "forApps.leftOut" : "forApps.mended")}
        </span>
      )}
    </span>
  );
}
