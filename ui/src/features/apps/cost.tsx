import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "@/components/error-notice";
import type { AppCost } from "@/ipc/bindings/AppCost";
import { appCost, servers } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { formatCount } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import { useDelayed } from "@/lib/use-delayed";

/** How many servers have their own bar. The others have one together. */
const BARS = 5;

/** How many tokens an app needs for the servers, or would need once connected, in a sentence. */
export function Cost({
  id,
  used,
}: {
  id: string;
  /** Whether the app is connected, and so uses the tokens. */
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
          <Bars cost={data} />
          <p className="m-0 mt-0.5 text-sm text-fg-3">{t("cost.estimate", { tokenizer: data.tokenizer })}</p>
        </>
      )}
    </section>
  );
}

/** The share of each server, largest first. */
function Bars({ cost }: { cost: AppCost }) {
  const { t, i18n } = useTranslation("apps");
  const { data: saved = [] } = useQuery(servers());
  const sum = (of: AppCost["servers"]) => of.reduce((all, { tokens }) => all + tokens, 0);
  const paid = cost.servers.filter(({ tokens }) => tokens > 0).toSorted((a, b) => b.tokens - a.tokens);
  const all = sum(paid);
  const rest = paid.length > BARS + 1 ? paid.slice(BARS) : [];
  const bars = paid
    .slice(0, paid.length - rest.length)
    .map(({ server, tokens }) => ({ name: visibleLine(saved.find(({ id }) => id === server)?.name ?? ""), tokens }));
  if (rest.length > 0) bars.push({ name: t("cost.others", { count: rest.length }), tokens: sum(rest) });
  if (bars.length === 0) return null;
  return (
    <ul aria-label={t("cost.byServer")} className="m-0 my-1.5 list-none p-0 text-sm">
      {bars.map(({ name, tokens }, index) => (
        <li key={index} className="grid h-5 grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto] items-center gap-2">
          <bdi className="truncate text-fg-2" title={name}>
            {name}
          </bdi>
          <span aria-hidden className="h-1.5 overflow-hidden rounded-full bg-line">
            <span className="block h-full rounded-full bg-accent" style={{ width: `${(100 * tokens) / all}%` }} />
          </span>
          <span className="min-w-12 text-right tabular">{formatCount(tokens, i18n.language)}</span>
        </li>
      ))}
    </ul>
  );
}
