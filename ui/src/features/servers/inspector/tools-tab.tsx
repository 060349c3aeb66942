import { useQuery } from "@tanstack/react-query";
import { Wrench } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ErrorNotice } from "@/components/error-notice";
import { Skeleton } from "@/components/skeleton";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { tools } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { visibleLine } from "@/lib/untrusted";
import { OfferList } from "./offer-list";
import { TabEmpty } from "./tab-empty";

/** The server's tools by name and description; each leads to the Workbench. */
export function ToolsTab({ server }: { server: ServerView }) {
  const { t } = useTranslation("servers");
  const connected = server.toolCount !== null;
  const query = useQuery({ ...tools(server.id), enabled: connected });
  if (!connected) return <TabEmpty icon={Wrench} title={t("tools.notConnected")} text={t("tools.notConnectedText")} />;
  if (query.isPending) return <Skeleton rows={6} />;
  if (query.error)
    return (
      <div className="p-5">
        <ErrorNotice title={t("tools.failed")} {...errorWords(query.error)}>
          <Button busy={query.isFetching} onClick={() => void query.refetch()}>
            {t("tryAgain", { ns: "common" })}
          </Button>
        </ErrorNotice>
      </div>
    );
  const all = query.data.tools;
  if (all.length === 0) return <TabEmpty icon={Wrench} title={t("tools.none")} text={t("tools.noneText")} />;
  return (
    <div className="flex flex-col gap-3 px-5 py-4">
      <OfferList
        title={t("tools.frame", { name: visibleLine(server.name), count: all.length })}
        lines={all.map((tool) => ({
          icon: Wrench,
          name: tool.name,
          description: tool.description,
          oddities: tool.diagnostics.length,
          search: { server: server.id, tool: tool.name },
        }))}
        searchLabel={t("tools.search")}
        nothing={t("tools.noMatch")}
        diagnostics={query.data.diagnostics}
      />
    </div>
  );
}
