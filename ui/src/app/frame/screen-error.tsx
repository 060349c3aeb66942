import type { ErrorComponentProps } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ErrorNotice } from "@/components/error-notice";
import { Page } from "@/components/page";

/** The error of a screen that could not be drawn. The rest of the window still works. */
export function ScreenError({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation();
  return (
    <Page title={t("screenError.title")}>
      <div className="max-w-150 p-5">
        <ErrorNotice
          title={t("screenError.what")}
          why={t("screenError.why")}
          next={t("screenError.next")}
          evidence={error instanceof Error ? (error.stack ?? error.message) : String(error)}
        >
          <Button look="primary" onClick={reset}>
            {t("screenError.again")}
          </Button>
        </ErrorNotice>
      </div>
    </Page>
  );
}
