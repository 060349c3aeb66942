import { useQuery } from "@tanstack/react-query";
import { BookOpenText, FileText } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { EmptyState } from "@/components/empty-state";
import { ErrorNotice } from "@/components/error-notice";
import { offerIcon } from "@/components/offer-icon";
import { Skeleton } from "@/components/skeleton";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { resources } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { betweenSentences } from "@/lib/sentence";
import { visibleLine } from "@/lib/untrusted";
import { answers } from "../actions";
import { Followed } from "./followed";
import { OfferList } from "./offer-list";
import { TabEmpty } from "./tab-empty";

/** The server's resources, templates and skills, and the subscribed resources. Each links to the Workbench. */
export function ResourcesTab({ server }: { server: ServerView }) {
  const { t, i18n } = useTranslation("servers");
  const connected = answers(server);
  const query = useQuery({ ...resources(server.id), enabled: connected });
  if (!connected) return <TabEmpty icon={FileText} title={t("tools.notConnected")} text={t("resources.notConnectedText")} />;
  if (query.isPending) return <Skeleton rows={6} />;
  if (query.error)
    return (
      <div className="p-5">
        <ErrorNotice title={t("resources.failed")} {...errorWords(query.error)}>
          <Button busy={query.isFetching} onClick={() => void query.refetch()}>
            {t("tryAgain", { ns: "common" })}
          </Button>
        </ErrorNotice>
      </div>
    );
  const { resources: all, templates, skills, diagnostics } = query.data;
  const followed = <Followed server={server} />;
  if (all.length === 0 && templates.length === 0 && skills.length === 0) {
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
  const name = visibleLine(server.name);
  return (
    <div className="flex flex-col gap-3 px-5 py-4">
      {followed}
      {skills.length > 0 && (
        <section aria-label={t("skills.title")} className="flex flex-col gap-3">
          <div>
            <h3 className="m-0 mb-1 font-semibold">{t("skills.title")}</h3>
            <p className="m-0 text-sm text-fg-2">
              {t("skills.text")}
              {skills.some((skill) => skill.files === null) && `${betweenSentences(i18n.language)}${t("skills.dynamicText")}`}
            </p>
          </div>
          <OfferList
            title={t("skills.frame", { name, count: skills.length })}
            lines={skills.map((skill) => ({
              icon: BookOpenText,
              name: skill.name,
              code: skill.uri,
              description: skill.description,
              oddities: skill.diagnostics.length,
              mark: skill.files === null ? t("skills.dynamic") : t("skills.files", { count: skill.files }),
              search: { server: server.id, resource: skill.uri },
            }))}
            searchLabel={t("skills.search")}
            nothing={t("skills.noMatch")}
            diagnostics={skills.flatMap((skill) => skill.diagnostics)}
          />
        </section>
      )}
      {(lines.length > 0 || diagnostics.length > 0) && (
        <OfferList
          title={t("resources.frame", { name, count: lines.length })}
          lines={lines}
          searchLabel={t("resources.search")}
          nothing={t(lines.length === 0 ? "resources.noneText" : "resources.noMatch")}
          diagnostics={diagnostics}
        />
      )}
    </div>
  );
}
