import { Check, ChevronDown } from "lucide-react";
import { Select as Radix } from "radix-ui";
import { useState } from "react";
import { cx } from "@/lib/cx";
import { styleNonce } from "@/lib/nonce";
import { Icon } from "./icon";

export interface SelectOption<V extends string> {
  value: V;
  label: string;
}

/** A choice of one value. `label` is the accessible name if there is no visible label. */
export function Select<V extends string>({
  value,
  onChange,
  options,
  label,
  id,
  placeholder,
  disabled = false,
  className,
  ...aria
}: {
  value: V | undefined;
  onChange: (value: V) => void;
  options: readonly SelectOption<V>[];
  label?: string;
  id?: string;
  placeholder?: string;
  disabled?: boolean;
  className?: string;
  "aria-label"?: string | undefined;
  "aria-labelledby"?: string | undefined;
  "aria-describedby"?: string | undefined;
  "aria-invalid"?: true | undefined;
  "aria-required"?: true | undefined;
}) {
  /** Whether it was open and still has the focus. */
  const [settled, setSettled] = useState(false);
  return (
    <Radix.Root
      value={value ?? ""}
      onValueChange={(next) => onChange(next as V)}
      onOpenChange={(open) => setSettled(!open)}
      disabled={disabled}
    >
      <Radix.Trigger
        id={id}
        aria-label={label}
        {...aria}
        // After a choice, typing triggers the window's shortcuts and doesn't change the value.
        data-settled={settled || undefined}
        onBlur={() => setSettled(false)}
        onKeyDown={(event) => {
          if (settled && event.key.length === 1 && event.key !== " ") event.preventDefault();
        }}
        className={cx(
          "inline-flex h-7.5 min-w-0 items-center justify-between gap-2 rounded-s border border-line-strong bg-raised pr-2 pl-2.25 transition-colors hover:bg-hover disabled:opacity-50 aria-invalid:border-bad data-[placeholder]:text-fg-3",
          className,
        )}
      >
        <span className="min-w-0 truncate">
          <Radix.Value placeholder={placeholder} />
        </span>
        <Radix.Icon className="text-fg-3">
          <Icon of={ChevronDown} />
        </Radix.Icon>
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          position="popper"
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-(--radix-select-content-available-height) max-w-(--radix-select-content-available-width) min-w-(--radix-select-trigger-width) overflow-hidden rounded-m border border-line bg-raised p-1 shadow-float data-[state=open]:animate-in"
        >
          <Radix.Viewport nonce={styleNonce}>
            {options.map((option) => (
              <Radix.Item
                key={option.value}
                value={option.value}
                className="flex min-h-7 items-center gap-2 rounded-s py-1 pr-2 pl-7 outline-none data-[highlighted]:bg-selected data-[highlighted]:shadow-[inset_2px_0_0_var(--accent)] relative"
              >
                <Radix.ItemIndicator className="absolute left-2 text-accent">
                  <Icon of={Check} />
                </Radix.ItemIndicator>
                <span className="min-w-0 wrap-any">
                  <Radix.ItemText>{option.label}</Radix.ItemText>
                </span>
              </Radix.Item>
            ))}
          </Radix.Viewport>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
