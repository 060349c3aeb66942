import { useQuery } from "@tanstack/react-query";
import { FileText } from "lucide-react";
import { useTranslation } from "react-i18next";
import { EmptyState } from "@/components/empty-state";
import { ErrorNotice } from "@/components/error-notice";
import { offerIcon } from "@/components/offer-icon";
import { Skeleton } from "@/components/skeleton";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { resources } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { visibleLine } from "@/lib/untrusted";
import { answers } from "../actions";
import { Followed } from "./followed";
import { OfferList } from "./offer-list";
import { TabEmpty } from "./tab-empty";

/** The server's resources and templates, and which of them are followed; each leads to the Workbench. */
export function ResourcesTab({ server }: { server: ServerView }) {
  const { t } = useTranslation("servers");
  const connected = answers(server);
  const query = useQuery({ ...resources(server.id), enabled: connected });
  if (!connected) return <TabEmpty icon={FileText} title={t("tools.notConnected")} text={t("resources.notConnectedText")} />;
  if (query.isPending) return <Skeleton rows={6} />;
  if (query.error) return <div className="p-5"><ErrorNotice title={t("resources.failed")} {...errorWords(query.error)} /></div>;
  const { resources: all, templates, diagnostics } = query.data;
  const followed = <Followed server={server} />;
  if (all.length === 0 && templates.length === 0) {
    return (
      <div className="flex min-h-full flex-col">
        <div className="px-5 pt-4 empty:hidden">{followed}</div>
        <EmptyState icon={FileText} title={t("resources.none")} text={t("resources.noneText")} />
      </div>
    );
  }
  const lines = [
    ...templates.map((template) => ({
      icon: offerIcon("template", null),
      name: template.name === "" ? template.uriTemplate : template.name,
      code: template.uriTemplate,
      description: template.description ?? template.title,
      oddities: template.diagnostics.length,
      search: { server: server.id, template: template.uriTemplate },
    })),
    ...all.map((resource) => ({
      icon: offerIcon("resource", resource.mimeType),
      name: resource.name === "" ? resource.uri : resource.name,
      code: resource.uri,
      description: resource.description ?? resource.title,
      oddities: resource.diagnostics.length,
      search: { server: server.id, resource: resource.uri },
    })),
  ];
  return (
    <div className="flex flex-col gap-3 px-5 py-4">
      {followed}
      <OfferList
        title={t("resources.frame", { name: visibleLine(server.name), count: lines.length })}
        lines={lines}
        searchLabel={t("resources.search")}
        nothing={t("resources.noMatch")}
        diagnostics={diagnostics}
      />
    </div>
  );
}
