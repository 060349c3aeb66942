import { Inbox } from "lucide-react";
import { useTranslation } from "react-i18next";
import { EmptyState } from "@/components/empty-state";
import { Page } from "@/components/page";

export function InboxScreen() {
  const { t } = useTranslation();
  return <Page title={t("place.inbox")}><EmptyState icon={Inbox} title={t("place.inbox")} /></Page>;
}
