import { useTranslation } from "react-i18next";
import { Page } from "@/components/page";

export function SettingsScreen() {
  const { t } = useTranslation();
  return <Page title={t("place.settings")}><span /></Page>;
}
