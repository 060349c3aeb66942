import { LoaderCircle } from "lucide-react";
import { useDelayed } from "@/lib/use-delayed";

/** Appears after 150 ms. Takes up its space before that. */
export function Spinner() {
  const late = useDelayed(true);
  return (
    <span aria-hidden className="inline-flex size-3.5 shrink-0">
      {late && <LoaderCircle size={14} className="animate-spin" />}
    </span>
  );
}
