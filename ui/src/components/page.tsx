import type { ReactNode } from "react";

/** A screen: a bar with title, subtitle and actions, and the content. */
export function Page({
  title,
  back,
  sub,
  actions,
  children,
}: {
  title: string;
  /** The link to the parent screen. */
  back?: ReactNode;
  sub?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <main tabIndex={-1} aria-label={title} className="flex min-h-0 min-w-0 flex-1 flex-col bg-surface outline-none">
      <header className="flex h-(--bar-height) shrink-0 items-center gap-2 border-b border-line px-4">
        {back}
        <h1 className="m-0 shrink-0 text-lg font-[620] tracking-[-.01em]">{title}</h1>
        {sub !== undefined && <span className="min-w-0 truncate text-fg-3">{sub}</span>}
        <span className="flex-1" />
        {actions}
      </header>
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">{children}</div>
    </main>
  );
}
