import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import type { AppView } from "@/ipc/bindings/AppView";
import { visibleLine } from "@/lib/untrusted";

/** In an app's row: the way to its key. A press is not one on the row. */
export function RenewInRow({ app, onRenew }: { app: AppView; onRenew: () => void }) {
  const { t } = useTranslation("apps");
  return (
    <Button
      title={t(app.key === "refused" ? "key.refused" : "key.why", { name: visibleLine(app.title) })}
      onClick={(event) => {
        event.stopPropagation();
        onRenew();
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" || event.key === " ") event.stopPropagation();
      }}
      className="h-6.5 px-2"
    >
      {t("renewEntry.action")}
    </Button>
  );
}
