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

/** The button that approves. It looks like one from the start, with a line that grows while it arms; Enter alone never presses it. */
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
  /** It can be pressed now. */
  ready: boolean;
  /** The second runs. */
  arming: boolean;
  /** What is said of it meanwhile. */
  hint: string;
  busy?: boolean;
  /** The shortcut that does the same, shown on the button. */
  keys?: string;
  /** It is dangerous, and looks so. */
  danger?: "bad" | "warn" | undefined;
  /** The id of what is said of the danger. */
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
