import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ErrorNotice } from "@/components/error-notice";
import { Skeleton } from "@/components/skeleton";
import { errorWords } from "@/lib/error-text";
import { hasRedacted, useReadBack } from "../read-back";
import type { Run } from "../runs";

/** The state of a result from the log: loading, missing, or with redacted parts. */
export function ReadBackNotice({ run }: { run: Run }) {
  const { t } = useTranslation(["workbench", "common"]);
  const { error, isFetching, refetch } = useReadBack(run);
  if (!run.forgotten) return null;
  if (run.outcome?.result != null) return hasRedacted(run) && <p className="m-0 text-sm text-fg-3">{t("result.redacted")}</p>;
  if (isFetching) return <Skeleton rows={3} />;
  if (error === null) return <p className="m-0 text-fg-2">{t("result.forgotten")}</p>;
  return (
    <ErrorNotice title={t("result.unread")} {...errorWords(error)}>
      <Button onClick={() => void refetch()}>{t("common:tryAgain")}</Button>
    </ErrorNotice>
  );
}
