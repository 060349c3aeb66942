import { ChevronRight } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Icon } from "./icon";

/** A part of a form that most people keep collapsed. `open` expands it, and only the person collapses it again. */
export function Fold({
  title,
  count = 0,
  hint,
  open = false,
  children,
}: {
  title: string;
  count?: number;
  hint?: string;
  open?: boolean;
  children: ReactNode;
}) {
  const [shown, setShown] = useState(open);
  const [asked, setAsked] = useState(open);
  if (asked !== open) {
    setAsked(open);
    if (open) setShown(true);
  }
  return (
    <details open={shown} onToggle={(event) => setShown(event.currentTarget.open)} className="group/fold">
      <summary className="inline-flex list-none items-center gap-1.5 rounded-xs font-[560]">
        <Icon of={ChevronRight} className="shrink-0 text-fg-3 transition-transform group-open/fold:rotate-90" />
        {title}
        {count > 0 && <span className="font-normal text-fg-3 tabular">{count}</span>}
      </summary>
      <div className="mt-2">
        {hint !== undefined && <p className="m-0 mb-2 text-sm text-fg-3">{hint}</p>}
        {children}
      </div>
    </details>
  );
}
