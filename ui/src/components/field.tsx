import { type ReactNode, useId } from "react";
import { cx } from "@/lib/cx";

interface Wiring {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
}

/** A labelled control with a hint and an error, accessible for screen readers. */
export function Field({
  label,
  note,
  hint,
  error,
  className,
  children,
}: {
  label: ReactNode;
  /** A word after the label, such as "required". */
  note?: ReactNode;
  hint?: ReactNode;
  error?: ReactNode;
  className?: string;
  children: (wiring: Wiring) => ReactNode;
}) {
  const id = useId();
  const described = error ? `${id}-error` : hint ? `${id}-hint` : undefined;
  return (
    <div className={cx("flex flex-col", className)}>
      <label htmlFor={id} className="mb-1 flex gap-1.5 font-[560]">
        {label}
        {note !== undefined && <span className="font-normal text-fg-3">{note}</span>}
      </label>
      {children({ id, "aria-describedby": described, "aria-invalid": error ? true : undefined })}
      {error ? (
        <p id={`${id}-error`} role="alert" className="mt-1 text-sm wrap-any text-bad">
          {error}
        </p>
      ) : (
        hint && (
          <p id={`${id}-hint`} className="mt-1 text-sm wrap-any text-fg-3">
            {hint}
          </p>
        )
      )}
    </div>
  );
}
