import {
  CircleCheck,
  CircleX,
  Download,
  FileDiff,
  Hourglass,
  KeyRound,
  LoaderCircle,
  LockKeyhole,
  type LucideIcon,
  Moon,
  PencilLine,
  RefreshCw,
  RotateCw,
  CircleDashed,
  TriangleAlert,
} from "lucide-react";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import type { ShownState } from "@/lib/server-state";

const marks: Record<ShownState, { icon: LucideIcon; colour: string; turns?: boolean }> = {
  stopped: { icon: CircleDashed, colour: "text-fg-3" },
  restarting: { icon: RotateCw, colour: "text-info", turns: true },
  downloading: { icon: Download, colour: "text-info" },
  starting: { icon: LoaderCircle, colour: "text-info", turns: true },
  ready: { icon: CircleCheck, colour: "text-ok" },
  degraded: { icon: TriangleAlert, colour: "text-warn" },
  sign_in_needed: { icon: KeyRound, colour: "text-warn" },
  waiting_for_you: { icon: Hourglass, colour: "text-wait" },
  reconnecting: { icon: RefreshCw, colour: "text-warn", turns: true },
  asleep: { icon: Moon, colour: "text-fg-3" },
  changed: { icon: FileDiff, colour: "text-warn" },
  value_missing: { icon: PencilLine, colour: "text-warn" },
  locked: { icon: LockKeyhole, colour: "text-warn" },
  failed: { icon: CircleX, colour: "text-bad" },
};

/** A connection's state as icon, word and colour. `iconOnly` keeps the word for screen readers. */
export function StateMark({ state, iconOnly = false, className }: { state: ShownState; iconOnly?: boolean; className?: string }) {
  const { t } = useTranslation();
  const { icon: Shape, colour, turns } = marks[state];
  return (
    <span data-state-mark={state} className={cx("inline-flex items-center gap-1.5 font-medium whitespace-nowrap", colour, className)}>
      <Shape aria-hidden size={14} className={cx("shrink-0", turns && "animate-spin")} />
      <span className={iconOnly ? "sr-only" : "min-w-0 truncate"}>{t(`state.${state}`)}</span>
    </span>
  );
}
