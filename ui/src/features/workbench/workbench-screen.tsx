import { useTranslation } from "react-i18next";
import { Page } from "@/components/page";

export function WorkbenchScreen() {
  const { t } = useTranslation();
  return <Page title={t("place.workbench")}><span /></Page>;
}
