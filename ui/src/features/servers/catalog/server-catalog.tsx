import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { FileDiff, Library } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { FactLine } from "@/components/fact-line";
import { catalogServers } from "@/ipc/queries";
import { visibleLine } from "@/lib/untrusted";
import { UpdateDialog } from "./update-dialog";

/** The entry of the catalog that a server came from, and its update. */
export function ServerCatalog({ id }: { id: number }) {
  const { t } = useTranslation("catalog");
  const navigate = useNavigate();
  const [updating, setUpdating] = useState(false);
  const { data } = useQuery(catalogServers());
  const source = data?.find((server) => server.id === id);
  if (source === undefined) return null;
  const { name, version, update, status } = source;
  return (
    <section aria-label={t("server")} className="rounded-m border border-line bg-surface p-3">
      <h3 className="m-0 mb-1 font-semibold">{t("server")}</h3>
      <FactLine
        facts={[
          visibleLine(name),
          t("installed.version", { version: visibleLine(version) }),
          ...(update === null ? [] : [t("available", { version: visibleLine(update) })]),
        ]}
      />
      {status !== null && status !== "active" && <p className="mt-1 mb-0 text-warn">{t(`statusTitle.${status}`)}</p>}
      <div className="mt-2.5 flex flex-wrap gap-2">
        {update !== null && (
          <Button icon={FileDiff} onClick={() => setUpdating(true)}>
            {t("review")}
          </Button>
        )}
        <Button icon={Library} onClick={() => void navigate({ to: "/catalog", search: { name } })}>
          {t("open")}
        </Button>
      </div>
      {updating && <UpdateDialog id={id} onClose={() => setUpdating(false)} />}
    </section>
  );
}
