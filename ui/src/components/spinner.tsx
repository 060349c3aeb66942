import { LoaderCircle } from "lucide-react";
import { useDelayed } from "@/lib/use-delayed";

/** Appears only when the wait has lasted 150 ms; keeps its place meanwhile. */
export function Spinner() {
  const late = useDelayed(true);
  return (
    <span aria-hidden className="inline-flex size-3.5 shrink-0">
      {late && <LoaderCircle size={14} className="animate-spin" />}
    </span>
  );
}
