import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { appsWithOwn, ownOf } from "@/features/apps/take-over/offers";
import type { AppView } from "@/ipc/bindings/AppView";
import { apps } from "@/ipc/queries";
import { formatCount } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";

/** A button for each app with servers that aren't in Mooring. */
export function FromApps({ chosen, onChoose }: { chosen: string | null; onChoose: (app: AppView) => void }) {
  const { t, i18n } = useTranslation("servers");
  const { data = [] } = useQuery(apps());
  return appsWithOwn(data).map((app) => (
    <Button key={app.id} aria-pressed={app.id === chosen} onClick={() => onChoose(app)}>
      {t("import.from", { app: visibleLine(app.title), number: formatCount(ownOf(app), i18n.language) })}
    </Button>
  ));
}

/** Says whose servers are shown. */
export function FromAppNote({ id }: { id: string }) {
  const { t } = useTranslation("servers");
  const { data = [] } = useQuery(apps());
  return t("import.fromApp", { app: visibleLine(data.find((app) => app.id === id)?.title ?? id) });
}
