import type { ComponentProps, ReactNode } from "react";
import { cx } from "@/lib/cx";
import { Input } from "./input";

/** A number with its unit, and an error or a note below. */
export function NumberInput({
  id,
  input,
  unit,
  problem,
  note,
  width,
  children,
}: {
  id: string;
  input: ComponentProps<typeof Input>;
  unit: string;
  problem: string | null;
  note: string;
  /** The width of the whole control, as a class. */
  width?: string;
  /** Content after the unit. */
  children?: ReactNode;
}) {
  return (
    <>
      <span className={cx("flex items-center gap-2", width)}>
        <Input
          id={id}
          {...input}
          aria-invalid={problem !== null || undefined}
          aria-describedby={`${id}-note`}
          className="w-20! text-right tabular"
        />
        <span className="text-fg-3">{unit}</span>
        {children}
      </span>
      <p
        id={`${id}-note`}
        role={problem === null ? undefined : "alert"}
        className={cx("m-0 mt-0.5 text-sm tabular", width, problem === null ? "text-fg-3" : "text-bad")}
      >
        {problem ?? note}
      </p>
    </>
  );
}
