import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

/** An empty screen: why it is empty, and what to do next. */
export function EmptyState({
  icon: Shape,
  title,
  text,
  children,
}: {
  icon?: LucideIcon;
  title: ReactNode;
  text?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className="flex min-h-0 flex-1 flex-col items-center justify-center px-6 py-10 text-center">
      {Shape && (
        <span className="mb-3 grid size-10 place-items-center rounded-l border border-line bg-sunken text-fg-3">
          <Shape size={20} aria-hidden />
        </span>
      )}
      <h2 className="m-0 text-lg font-[620]">{title}</h2>
      {text !== undefined && <p className="mt-1 mb-0 max-w-105 text-balance text-fg-2">{text}</p>}
      {Boolean(children) && <div className="mt-4 flex flex-wrap justify-center gap-2">{children}</div>}
    </div>
  );
}
