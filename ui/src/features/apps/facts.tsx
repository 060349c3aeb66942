import type { ReactNode } from "react";
import { cx } from "@/lib/cx";

/** Names and values, one pair per row. */
export function Facts({ className, children }: { className?: string; children: ReactNode }) {
  return <dl className={cx("m-0 grid grid-cols-[88px_minmax(0,1fr)] gap-x-3 gap-y-1.75", className)}>{children}</dl>;
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-fg-3">{name}</dt>
      <dd className="m-0 min-w-0">{children}</dd>
    </>
  );
}
