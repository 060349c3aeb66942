import type { ReactNode } from "react";

/** A group of settings under a heading. */
export function Section({
  title,
  text,
  id,
  children,
}: {
  title: string;
  text?: ReactNode;
  /** Where an address can lead to. */ id?: string;
  children: ReactNode;
}) {
  return (
    <section aria-label={title} id={id} className="scroll-mt-6">
      <h2 className="m-0 text-lg font-[620] tracking-[-.01em]">{title}</h2>
      {text !== undefined && <p className="mt-0.5 mb-0 text-fg-2">{text}</p>}
      <div className="mt-2.5 rounded-m border border-line">{children}</div>
    </section>
  );
}

/** One setting or fact: its name and a hint on the left, the control or value on the right. */
export function Row({ label, htmlFor, hint, children }: { label: string; htmlFor?: string; hint?: ReactNode; children: ReactNode }) {
  return (
    <div className="flex min-h-12 items-center gap-6 border-b border-line px-4 py-2 last:border-0">
      <div className="min-w-0 flex-1">
        {htmlFor === undefined ? (
          <span className="font-[540]">{label}</span>
        ) : (
          <label htmlFor={htmlFor} className="font-[540]">
            {label}
          </label>
        )}
        {hint !== undefined && <p className="m-0 text-sm text-fg-3">{hint}</p>}
      </div>
      <div className="flex max-w-[60%] min-w-0 shrink-0 flex-col items-end">{children}</div>
    </div>
  );
}
