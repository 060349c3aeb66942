import { useId } from "react";
import { Checkbox } from "@/components/toggles";

/** A checkbox with its label. `code`: the label is a path. */
export function Choice({
  label,
  checked,
  onChange,
  code = false,
}: {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  code?: boolean;
}) {
  const id = useId();
  return (
    <span className="flex items-center gap-2">
      <Checkbox id={id} checked={checked} onChange={onChange} />
      <label htmlFor={id} className={code ? "mono min-w-0 wrap-any" : "min-w-0 wrap-any"}>
        {label}
      </label>
    </span>
  );
}
