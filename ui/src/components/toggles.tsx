import { Check, Minus } from "lucide-react";
import { Checkbox as RadixCheckbox, Switch as RadixSwitch, ToggleGroup } from "radix-ui";
import { cx } from "@/lib/cx";

interface CheckboxProps {
  /** `"indeterminate"` means partly selected. */
  checked: boolean | "indeterminate";
  onChange: (checked: boolean) => void;
  /** The accessible name if no visible label is tied to `id`. */
  label?: string;
  id?: string;
  disabled?: boolean;
  /** Negative if the parent handles the keyboard. */
  tabIndex?: number;
  "aria-describedby"?: string | undefined;
  "aria-invalid"?: true | undefined;
}

/** A check box in a form or a list. */
export function Checkbox({ checked, onChange, label, ...rest }: CheckboxProps) {
  return (
    <RadixCheckbox.Root
      checked={checked}
      onCheckedChange={(next) => onChange(next === true)}
      aria-label={label}
      {...rest}
      className="inline-flex size-4 shrink-0 items-center justify-center rounded-xs border border-control bg-surface transition-colors data-[state=checked]:border-accent data-[state=checked]:bg-accent data-[state=indeterminate]:border-accent data-[state=indeterminate]:bg-accent disabled:opacity-50"
    >
      <RadixCheckbox.Indicator className="text-on-accent">
        {checked === "indeterminate" ? <Minus size={12} strokeWidth={3} aria-hidden /> : <Check size={12} strokeWidth={3} aria-hidden />}
      </RadixCheckbox.Indicator>
    </RadixCheckbox.Root>
  );
}

/** A switch that takes effect immediately. */
export function Switch({
  checked,
  onChange,
  label,
  ...rest
}: {
  checked: boolean;
  onChange: (checked: boolean) => void;
  /** The accessible name if no visible label is tied to `id`. */
  label?: string;
  id?: string;
  disabled?: boolean;
}) {
  return (
    <RadixSwitch.Root
      checked={checked}
      onCheckedChange={onChange}
      aria-label={label}
      {...rest}
      className="inline-flex h-4.5 w-8 shrink-0 items-center rounded-full border border-control bg-raised p-px transition-colors data-[state=checked]:border-accent data-[state=checked]:bg-accent disabled:opacity-50"
    >
      <RadixSwitch.Thumb className="block size-3.5 rounded-full bg-control transition-transform data-[state=checked]:translate-x-3.5 data-[state=checked]:bg-on-accent" />
    </RadixSwitch.Root>
  );
}

/** Two to four exclusive choices side by side. */
export function SegmentedControl<V extends string>({
  value,
  onChange,
  options,
  label,
  className,
  ...aria
}: {
  value: V;
  onChange: (value: V) => void;
  options: readonly { value: V; label: string; disabled?: boolean }[];
  /** The accessible name if `aria-labelledby` names no visible label. */
  label?: string;
  className?: string;
  "aria-label"?: string | undefined;
  "aria-labelledby"?: string | undefined;
  "aria-describedby"?: string | undefined;
}) {
  return (
    <ToggleGroup.Root
      type="single"
      value={value}
      onValueChange={(next) => next !== "" && onChange(next as V)}
      aria-label={label}
      {...aria}
      className={cx("inline-flex h-7.5 shrink-0 items-stretch overflow-hidden rounded-s border border-line-strong bg-raised", className)}
    >
      {options.map((option) => (
        <ToggleGroup.Item
          key={option.value}
          value={option.value}
          disabled={option.disabled}
          className="inset-focus px-2.5 whitespace-nowrap text-fg-2 transition-colors enabled:hover:text-fg disabled:opacity-50 data-[state=on]:bg-selected data-[state=on]:font-[560] data-[state=on]:text-fg"
        >
          {option.label}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
