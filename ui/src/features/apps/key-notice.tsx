import { useQuery } from "@tanstack/react-query";
import { LockKeyhole, RefreshCw } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ErrorNotice } from "@/components/error-notice";
import type { AppView } from "@/ipc/bindings/AppView";
import { apps } from "@/ipc/queries";
import { showVault } from "@/lib/overlays";
import { visibleLine } from "@/lib/untrusted";
import { needsKey } from "./standing";

/** That an app's calls ask because its key is missing or can't be checked, and the one press that ends it. */
export function KeyNotice({ app, onRenew }: { app: AppView; onRenew: () => void }) {
  const { t } = useTranslation(["apps", "common"]);
  const { refetch } = useQuery(apps());
  if (needsKey(app))
    return (
      <ErrorNotice tone="warn" title={t("state.asks")} why={t("key.why", { name: visibleLine(app.title) })}>
        <Button look="primary" icon={RefreshCw} onClick={onRenew}>
          {t("renewEntry.action")}
        </Button>
      </ErrorNotice>
    );
  if (app.key === "in_repository") return <ErrorNotice tone="warn" title={t("state.asks")} why={t("key.inRepository")} />;
  if (app.key === "sealed")
    return (
      <ErrorNotice tone="warn" title={t("key.sealed")} why={t("key.untilOpen")}>
        <Button icon={LockKeyhole} onClick={() => showVault(() => void refetch())}>
          {t("common:goTo.unlock")}
        </Button>
      </ErrorNotice>
    );
  return null;
}
