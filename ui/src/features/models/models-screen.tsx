import { useQuery } from "@tanstack/react-query";
import { Sparkles } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { EmptyState } from "@/components/empty-state";
import { ErrorNotice } from "@/components/error-notice";
import { Page } from "@/components/page";
import { Skeleton } from "@/components/skeleton";
import { VaultBanner } from "@/components/vault-banner";
import type { ProviderView } from "@/ipc/bindings/ProviderView";
import { models } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { useModelActions } from "./actions";
import { ProviderDialog } from "./providers/provider-dialog";
import { ProviderList } from "./providers/provider-list";
import { RoutingTable } from "./routing/routing-table";
import { SamplingServers } from "./servers/sampling-servers";

/** Which models answer servers' requests, how they are chosen, and which servers may use them. */
export function ModelsScreen() {
  const { t } = useTranslation("models");
  const query = useQuery(models());
  const actions = useModelActions();
  const [editing, setEditing] = useState<ProviderView | "new" | null>(null);
  const add = (
    <Button look="primary" onClick={() => setEditing("new")}>
      {t("providers.add")}
    </Button>
  );
  const hasProviders = (query.data?.providers.length ?? 0) > 0;
  const start = (
    <EmptyState icon={Sparkles} title={t("empty.title")} text={t("empty.text")}>
      {add}
    </EmptyState>
  );
  return (
    <Page
      title={t("place")}
      sub={hasProviders && t("sub", { count: query.data?.providers.length })}
      actions={(hasProviders || query.error !== null) && add}
    >
      <VaultBanner />
      {query.data && !hasProviders && query.data.servers.length + query.data.routes.length === 0 ? (
        start
      ) : (
        <div className="min-h-0 flex-1 overflow-y-auto">
          <div className="mx-auto flex max-w-220 flex-col gap-8 px-6 py-5">
            {query.isPending ? (
              <Skeleton rows={8} />
            ) : query.error ? (
              <ErrorNotice title={t("failed")} {...errorWords(query.error)} next={t("failedNext")}>
                <Button busy={query.isFetching} onClick={() => void query.refetch()}>
                  {t("tryAgain", { ns: "common" })}
                </Button>
              </ErrorNotice>
            ) : (
              <>
                <ProviderList providers={query.data.providers} none={start} onEdit={setEditing} actions={actions} />
                {/* Costs come before routing. */}
                <SamplingServers view={query.data} actions={actions} />
                {/* With only the practice model there is nothing to choose. */}
                {(hasProviders || query.data.routes.length > 0) && <RoutingTable view={query.data} actions={actions} />}
              </>
            )}
          </div>
        </div>
      )}
      {editing !== null && <ProviderDialog provider={editing === "new" ? null : editing} onClose={() => setEditing(null)} />}
    </Page>
  );
}
