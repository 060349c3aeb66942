import { useTranslation } from "react-i18next";
import { useDelayed } from "@/lib/use-delayed";

/** Placeholder lines for rows, shown after 150 ms. */
export function Skeleton({ rows = 5 }: { rows?: number }) {
  const { t } = useTranslation();
  const late = useDelayed(true);
  return (
    <div role="status" aria-label={t("loading")} className="p-4">
      {late &&
        Array.from({ length: rows }, (_, row) => (
          <div key={row} className="mb-3 h-3.5 animate-breathe rounded-xs bg-hover odd:w-4/5 even:w-3/5" />
        ))}
    </div>
  );
}
