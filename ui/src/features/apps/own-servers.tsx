import { Import } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Chip } from "@/components/chip";
import type { AppView } from "@/ipc/bindings/AppView";
import { visibleLine } from "@/lib/untrusted";

/** The servers in the app's own file, and whether Mooring has each of them. */
export function OwnServers({ app, onImport, onRemove }: { app: AppView; onImport: () => void; onRemove: () => void }) {
  const { t } = useTranslation("apps");
  const own = app.servers.filter((server) => !server.ours);
  return (
    <section aria-labelledby="app-own">
      <div className="mb-1 flex items-center gap-2">
        <h3 id="app-own" className="m-0 flex-1 font-semibold">
          {t("own.title")}
        </h3>
        {app.state === "connected" && own.some((server) => server.here) && <Button onClick={onRemove}>{t("own.remove")}</Button>}
        {own.some((server) => !server.here) && (
          <Button icon={Import} onClick={onImport}>
            {t("own.import")}
          </Button>
        )}
      </div>
      {own.length === 0 ? (
        <p className="m-0 text-fg-3">{t("own.none")}</p>
      ) : (
        <>
          <p className="m-0 mb-2 text-fg-2">{t("own.text")}</p>
          <ul className="m-0 list-none rounded-m border border-line p-0">
            {own.map((server, index) => (
              <li key={index} className="flex min-h-9 items-center gap-2 border-b border-line px-3 last:border-0">
                <span className="min-w-0 flex-1 truncate">
                  <bdi>{visibleLine(server.name)}</bdi>
                </span>
                {server.here && <Chip>{t("own.here")}</Chip>}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
