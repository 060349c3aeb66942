import type { LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { KEEP_CLEAR } from "@/lib/clear-of";
import { cx } from "@/lib/cx";
import { ariaKeys } from "@/lib/platform";
import { ArmingLine } from "./armed-button";
import { Icon } from "./icon";
import { Kbd } from "./kbd";
import { Spinner } from "./spinner";
import { Tooltip } from "./tooltip";

const looks = {
  primary: "border-transparent bg-accent text-on-accent enabled:hover:bg-accent-hover",
  primaryDanger: "border-transparent bg-bad text-surface enabled:hover:bg-bad/85",
  default: "border-line-strong bg-raised text-fg enabled:hover:bg-hover",
  ghost: "border-transparent bg-transparent text-fg-2 enabled:hover:bg-hover enabled:hover:text-fg",
  danger: "border-line-strong bg-raised text-bad enabled:hover:bg-bad-soft",
} as const;

interface ButtonProps extends ComponentProps<"button"> {
  look?: keyof typeof looks;
  icon?: LucideIcon;
  /** The button's shortcut, shown on it. */
  keys?: string;
  /** Work is running: the button keeps its size, shows a spinner after 150 ms and ignores clicks. */
  busy?: boolean;
  /** It can't be pressed in its first second, so that no stray click approves, but it looks enabled. */
  arming?: boolean;
}

/** The standard button. At most one `primary` or `primaryDanger` per screen, for the main action. */
export function Button({
  look = "default",
  icon,
  keys,
  busy = false,
  arming = false,
  className,
  children,
  disabled,
  ...rest
}: ButtonProps) {
  const filled = look === "primary" || look === "primaryDanger";
  return (
    <button
      type="button"
      disabled={disabled === true || busy || arming}
      aria-busy={busy || undefined}
      aria-keyshortcuts={keys && ariaKeys(keys)}
      className={cx(
        "inline-flex h-7.5 shrink-0 items-center justify-center gap-1.5 rounded-s border px-2.75 font-[540] whitespace-nowrap transition-colors",
        arming ? "relative overflow-hidden" : "disabled:opacity-50",
        looks[look],
        className,
      )}
      {...(filled && KEEP_CLEAR)}
      {...rest}
    >
      {busy ? <Spinner /> : icon && <Icon of={icon} />}
      {children}
      {keys && <Kbd keys={keys} bare={filled} />}
      {arming && <ArmingLine className={filled ? "bg-current" : "bg-accent/50"} />}
    </button>
  );
}

interface IconButtonProps extends Omit<ComponentProps<"button">, "children"> {
  icon: LucideIcon;
  /** What it does. Its accessible name and its tooltip. */
  label: string;
  keys?: string;
  small?: boolean;
}

/** A square icon button. */
export function IconButton({ icon, label, keys, small = false, className, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label} {...(keys ? { keys } : {})}>
      <button
        type="button"
        aria-label={label}
        aria-keyshortcuts={keys && ariaKeys(keys)}
        className={cx(
          "inline-flex shrink-0 items-center justify-center rounded-s border border-transparent text-fg-2 transition-colors enabled:hover:bg-hover enabled:hover:text-fg disabled:opacity-50 aria-pressed:bg-selected aria-pressed:text-fg data-[state=open]:bg-hover",
          small ? "size-6" : "size-7.5",
          className,
        )}
        {...rest}
      >
        <Icon of={icon} />
      </button>
    </Tooltip>
  );
}
