import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "@/components/error-notice";
import { appCost } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { formatCount } from "@/lib/format";
import { useDelayed } from "@/lib/use-delayed";

/** What an app pays for the servers, or would once it is connected, in one sentence. */
export function Cost({
  id,
  used,
}: {
  id: string;
  /** The app is connected, and so it pays. */
  used: boolean;
}) {
  const { t, i18n } = useTranslation("apps");
  const { data, error, isPending } = useQuery(appCost(id));
  const late = useDelayed(isPending);
  // Apps can't connect on this system.
  if (data === null) return null;
  return (
    <section aria-labelledby="app-cost">
      <h3 id="app-cost" className="m-0 mb-1 font-semibold">
        {t("cost.title")}
      </h3>
      {error ? (
        <ErrorNotice title={t("cost.failed")} {...errorWords(error)} />
      ) : isPending ? (
        <p role="status" className="m-0 min-h-10 text-fg-3">
          {late && t("cost.counting")}
        </p>
      ) : data.tokens === 0 ? (
        <p className="m-0 text-fg-2">{t("cost.none")}</p>
      ) : (
        <>
          <p className="m-0 tabular">{t(used ? "cost.text" : "cost.would", { tokens: formatCount(data.tokens, i18n.language) })}</p>
          {data.withoutSearch !== null && (
            <p className="m-0 tabular">{t("cost.search", { tokens: formatCount(data.withoutSearch, i18n.language) })}</p>
          )}
          <p className="m-0 mt-0.5 text-sm text-fg-3">{t("cost.estimate", { tokenizer: data.tokenizer })}</p>
        </>
      )}
    </section>
  );
}
