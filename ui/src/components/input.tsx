import type { LucideIcon } from "lucide-react";
import { type ComponentProps, type ReactNode, useEffect, useLayoutEffect, useRef } from "react";
import { cx } from "@/lib/cx";
import { Icon } from "./icon";

const box =
  "border border-line-strong rounded-s bg-surface text-fg transition-colors hover:border-control focus-visible:border-accent focus-visible:outline-1 focus-visible:outline-offset-0 aria-invalid:border-bad aria-invalid:outline-bad disabled:opacity-50 disabled:hover:border-line-strong";

interface InputProps extends ComponentProps<"input"> {
  /** Machine text: commands, URLs, names in code. */
  code?: boolean;
}

/** A line of text. */
export function Input({ code = false, className, ...rest }: InputProps) {
  return (
    <input
      autoComplete="off"
      autoCorrect="off"
      autoCapitalize="off"
      spellCheck={false}
      className={cx(box, "h-7.5 w-full min-w-0 px-2.25", code && "mono", className)}
      {...rest}
    />
  );
}

/** Several lines of text. */
export function Textarea({ code = false, className, ...rest }: ComponentProps<"textarea"> & { code?: boolean }) {
  return (
    <textarea
      autoComplete="off"
      spellCheck={false}
      className={cx(box, "block min-h-18 w-full min-w-0 resize-y px-2.25 py-1.5", code && "mono", className)}
      {...rest}
    />
  );
}

function fit(area: HTMLTextAreaElement | null): void {
  if (!area) return;
  area.style.height = "0";
  area.style.height = `${Math.max(30, area.scrollHeight + 2)}px`;
}

/** One logical line that wraps, as tall as its text. */
export function GrowingInput({ value, className, ...rest }: Omit<ComponentProps<"textarea">, "value"> & { value: string }) {
  const box = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => fit(box.current));
  useEffect(() => {
    const around = box.current?.parentElement;
    if (!around) return;
    // In the next frame, because it changes the size of the elements around it.
    const watch = new ResizeObserver(() => requestAnimationFrame(() => fit(box.current)));
    watch.observe(around);
    return () => watch.disconnect();
  }, []);
  return (
    <Textarea
      ref={box}
      rows={1}
      code
      value={value}
      {...rest}
      className={cx("min-h-7.5! resize-none! overflow-hidden py-1.25!", className)}
    />
  );
}

/** A search or filter field: an icon before, a hint (usually a key) after. */
export function SearchInput({ icon, hint, className, ...rest }: ComponentProps<"input"> & { icon: LucideIcon; hint?: ReactNode }) {
  return (
    <div className={cx("relative min-w-0", className)}>
      <span className="pointer-events-none absolute inset-y-0 left-2.25 flex items-center text-fg-3">
        <Icon of={icon} />
      </span>
      <Input {...rest} className={cx("pl-7.5", hint !== undefined && "pr-8")} />
      {hint !== undefined && <span className="pointer-events-none absolute inset-y-0 right-2 flex items-center">{hint}</span>}
    </div>
  );
}
