import { type ReactNode, useId } from "react";

/** A section of the screen with a heading. `action` is next to it. */
export function Part({ title, text, action, children }: { title: string; text: string; action?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <div className="mb-2.5 flex items-end gap-4">
        <div className="min-w-0 flex-1">
          <h2 id={id} className="m-0 text-lg font-[620] tracking-[-.01em]">
            {title}
          </h2>
          <p className="m-0 mt-0.5 max-w-190 text-fg-2">{text}</p>
        </div>
        {action}
      </div>
      <div className="overflow-hidden rounded-m border border-line">{children}</div>
    </section>
  );
}
