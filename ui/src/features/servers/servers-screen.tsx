import { useTranslation } from "react-i18next";
import { Page } from "@/components/page";

export function ServersScreen() {
  const { t } = useTranslation();
  return <Page title={t("place.servers")}><span /></Page>;
}
