import { useQuery } from "@tanstack/react-query";
import { KeyRound, LockKeyhole, RefreshCw } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ErrorNotice } from "@/components/error-notice";
import type { AppView } from "@/ipc/bindings/AppView";
import { apps } from "@/ipc/queries";
import { showVault } from "@/lib/overlays";
import { visibleLine } from "@/lib/untrusted";
import type { Change } from "./change-dialog";
import { isKeylessInRepository, needsKey, standingOf } from "@/lib/app-standing";

/**
 * Warns that an app's calls ask because its key is missing or can't be verified, or that its key is in a Git
 * repository. Includes the button that fixes it.
 */
export function KeyNotice({ app, onChange }: { app: AppView; onChange: (change: Change) => void }) {
  const { t } = useTranslation(["apps", "common"]);
  const { refetch } = useQuery(apps());
  if (needsKey(app))
    return (
      <ErrorNotice
        tone="warn"
        title={t(app.key === "refused" ? "state.refused" : "state.asks")}
        why={t(app.key === "refused" ? "key.refused" : "key.why", { name: visibleLine(app.title) })}
      >
        <Button look="primary" icon={RefreshCw} onClick={() => onChange("renewEntry")}>
          {t("renewEntry.action")}
        </Button>
      </ErrorNotice>
    );
  if (isKeylessInRepository(app)) return <ErrorNotice tone="warn" title={t("state.asks")} why={t("key.inRepository")} />;
  if (standingOf(app) === "sharedKey")
    return (
      <ErrorNotice tone="warn" title={t("key.sharedTitle")} why={t("key.shared", { name: visibleLine(app.title) })}>
        <Button look="primary" icon={KeyRound} onClick={() => onChange("takeKeyOut")}>
          {t("takeKeyOut.action")}
        </Button>
      </ErrorNotice>
    );
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
