import type { ReactNode } from "react";
import { cx } from "@/lib/cx";

/** A section of a question with its heading. */
export function Part({
  title,
  after,
  step = false,
  className,
  children,
}: {
  title: string;
  after?: ReactNode;
  /** Whether the question's next step starts here. */
  step?: boolean;
  className?: string;
  children: ReactNode;
}) {
  return (
    <section className={cx("mt-4.5", className)}>
      <div className="mb-2 flex min-h-5 flex-wrap items-center justify-end gap-2">
        <h3 {...(step && { tabIndex: -1, "data-step": true })} className="m-0 mr-auto font-semibold outline-none">
          {title}
        </h3>
        {after}
      </div>
      {children}
    </section>
  );
}
