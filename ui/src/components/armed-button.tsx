import type { LucideIcon } from "lucide-react";
import type { KeyboardEvent } from "react";
import { cx } from "@/lib/cx";
import { ariaKeys } from "@/lib/platform";
import { ARMING_MS } from "@/lib/use-armed";
import { Icon } from "./icon";
import { Kbd } from "./kbd";
import { Spinner } from "./spinner";

const grounds = {
  plain: { full: "bg-accent", hover: "hover:bg-accent-hover" },
  bad: { full: "bg-bad", hover: "hover:bg-bad/85" },
  warn: { full: "bg-warn", hover: "hover:bg-warn/85" },
} as const;

/** A line that grows along the lower edge of a button until it can be pressed. */
export function ArmingLine({ className = "bg-current" }: { className?: string }) {
  return (
    <span
      aria-hidden
      className={cx("absolute inset-x-0 bottom-0 h-0.5 origin-left animate-arm motion-reduce:hidden", className)}
      style={{ animationDuration: `${ARMING_MS}ms` }}
    />
  );
}

/** The approving button. A line grows along it while it arms. Enter alone never presses it. */
export function ArmedButton({
  label,
  icon,
  ready,
  arming,
  hint,
  busy = false,
  keys,
  danger,
  describedBy,
  onPress,
}: {
  label: string;
  icon: LucideIcon;
  /** Whether it can be pressed now. */
  ready: boolean;
  /** Whether the second before that is running. */
  arming: boolean;
  /** The hint during that second. */
  hint: string;
  busy?: boolean;
  /** The button's shortcut, shown on it. */
  keys?: string;
  /** Whether it is dangerous, and looks so. */
  danger?: "bad" | "warn" | undefined;
  /** The id of the description of the danger. */
  describedBy?: string | undefined;
  onPress: () => void;
}) {
  const ground = grounds[danger ?? "plain"];
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) event.preventDefault();
  };
  return (
    <button
      type="button"
      disabled={!ready}
      data-armed={ready}
      aria-busy={busy || undefined}
      aria-keyshortcuts={keys && ariaKeys(keys)}
      data-danger={danger}
      aria-describedby={describedBy}
      title={arming ? hint : undefined}
      onKeyDown={onKeyDown}
      onClick={onPress}
      className={cx(
        "relative inline-flex h-7.5 shrink-0 items-center justify-center gap-1.5 overflow-hidden rounded-s border border-transparent px-2.75 font-[540] whitespace-nowrap transition-colors",
        danger ? "text-surface" : "text-on-accent",
        ground.full,
        ready ? ground.hover : !arming && "opacity-50",
      )}
    >
      {arming && <ArmingLine />}
      <span className="relative inline-flex items-center gap-1.5">
        {busy ? <Spinner /> : <Icon of={icon} />}
        {label}
        {keys && <Kbd keys={keys} bare className="max-wide:hidden" />}
      </span>
    </button>
  );
}
