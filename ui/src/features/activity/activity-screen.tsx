import { useTranslation } from "react-i18next";
import { Page } from "@/components/page";

export function ActivityScreen() {
  const { t } = useTranslation();
  return <Page title={t("place.activity")}><span /></Page>;
}
