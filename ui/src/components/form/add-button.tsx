import { Plus } from "lucide-react";
import { Icon } from "@/components/icon";
import { visibleLine } from "@/lib/untrusted";

/** Adds something to a form. Less prominent than a button, so that optional parts don't distract. */
export function AddButton({ label, onClick, id }: { label: string; onClick: () => void; id?: string }) {
  return (
    <button
      type="button"
      id={id}
      aria-label={visibleLine(label)}
      onClick={onClick}
      className="inline-flex h-7 max-w-full items-center gap-1.5 rounded-s border border-dashed border-line-strong pr-2.5 pl-2 text-fg-2 transition-colors hover:border-control hover:bg-hover hover:text-fg"
    >
      <Icon of={Plus} />
      <span className="truncate">{visibleLine(label)}</span>
    </button>
  );
}
