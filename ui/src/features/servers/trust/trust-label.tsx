import { FileDiff } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import type { ServerView } from "@/ipc/bindings/ServerView";

/** The name of the Trust tab, marked where something has to be looked at. */
export function TrustLabel({ server }: { server: ServerView }) {
  const { t } = useTranslation("servers");
  if (!server.changed) return t("inspector.trust");
  return (
    <span className="inline-flex items-center gap-1">
      {t("inspector.trust")}
      <Icon of={FileDiff} size={12} className="shrink-0 text-info" />
      <span className="sr-only">{t("state.changed", { ns: "common" })}</span>
    </span>
  );
}
