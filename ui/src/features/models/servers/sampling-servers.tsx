import { useTranslation } from "react-i18next";
import type { ModelsView } from "@/ipc/bindings/ModelsView";
import type { ModelActions } from "../actions";
import { Part } from "../section";
import { SamplingServer } from "./sampling-server";

/** Which servers may use models, how much, and what they used today. */
export function SamplingServers({ view, actions }: { view: ModelsView; actions: ModelActions }) {
  const { t } = useTranslation("models");
  return (
    <Part title={t("servers.title")} text={t("servers.text")}>
      {view.servers.length === 0 ? (
        <p className="m-0 px-4 py-3 text-fg-2">{t("servers.none")}</p>
      ) : (
        <ul aria-label={t("servers.title")} className="m-0 list-none p-0">
          {view.servers.map((server) => (
            <SamplingServer key={server.policy.server} view={server} practiceOnly={view.providers.length === 0} actions={actions} />
          ))}
        </ul>
      )}
    </Part>
  );
}
