import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { TriangleAlert } from "lucide-react";
import { Trans, useTranslation } from "react-i18next";
import { FactLine } from "@/components/fact-line";
import { Icon } from "@/components/icon";
import type { AppView } from "@/ipc/bindings/AppView";
import { appActivity } from "@/ipc/queries";
import { standingOf, uses } from "@/lib/app-standing";
import { formatAgo, formatMoment } from "@/lib/format";
import { useNow } from "@/lib/use-now";
import { tally, useAppTools, useLess } from "./app-tools";

/** What an app gets, in a sentence, and when it last called. */
export function Summary({ app }: { app: AppView }) {
  const { t } = useTranslation("apps");
  return (
    <section aria-label={t("gets.label")} className="flex flex-col gap-1">
      <Tools app={app} />
      <Use app={app} />
    </section>
  );
}

function Tools({ app }: { app: AppView }) {
  const { t } = useTranslation("apps");
  const less = useLess();
  const { found, cost, pending } = useAppTools(app);
  if (pending)
    return (
      <p role="status" className="m-0 text-fg-3">
        {t("gets.counting")}
      </p>
    );
  // If nothing can be counted, the section on tokens explains why.
  if (!cost) return null;
  const counts = tally(found.flatMap((one) => one.tools));
  const giving = found.filter((one) => tally(one.tools).got > 0).length;
  const kept = less(counts, ["off", "leftOut"]);
  const when = uses(app) ? (cost.withoutSearch === null ? "gets" : "search") : standingOf(app) === "notAllowed" ? "allowed" : "would";
  const why = counts.waits > 0 ? "unapproved" : kept.length > 0 ? "off" : "none";
  return (
    <>
      <p className="m-0">
        {counts.got === 0 ? (
          t(`sum.no.${why}`)
        ) : (
          <Trans
            t={t}
            i18nKey={`sum.${when}`}
            count={counts.got}
            values={{ servers: t("gets.kinds.server", { count: giving }) }}
            components={{ b: <b className="font-semibold" /> }}
          />
        )}
      </p>
      {counts.got > 0 && kept.length > 0 && (
        <p className="m-0 text-fg-2 tabular">
          <FactLine facts={[t("counts.approved", { count: counts.got + counts.off + counts.leftOut }), ...kept]} />
        </p>
      )}
      {counts.waits > 0 && (
        <p className="m-0 flex gap-1.5">
          <Icon of={TriangleAlert} className="mt-0.75 shrink-0 text-warn" />
          <span className="min-w-0">
            {t("sees.unapproved", { count: counts.waits })}{" "}
            <Link to="/review" className="rounded-xs text-accent underline">
              {t("sees.review")}
            </Link>
          </span>
        </p>
      )}
    </>
  );
}

/** When it was last active, how many connections it has, and where its calls are. */
function Use({ app }: { app: AppView }) {
  const { t, i18n } = useTranslation("apps");
  const now = useNow(15_000);
  const { data: all = [] } = useQuery(appActivity());
  const connections = all.find((one) => one.app === app.id)?.connections ?? 0;
  const facts = [
    app.usedAt === null ? (
      t("sum.neverUsed")
    ) : (
      <span key="used" title={formatMoment(app.usedAt, i18n.language)}>
        {t("sum.used", { when: formatAgo(app.usedAt, now, i18n.language) })}
      </span>
    ),
    ...(connections > 0 ? [<span key="now">{t("now.connections", { count: connections })}</span>] : []),
    ...(uses(app) || connections > 0 || app.usedAt !== null
      ? [
          <Link key="activity" to="/activity" search={{ app: app.id }} className="rounded-xs text-accent underline">
            {t("fact.activity")}
          </Link>,
        ]
      : []),
  ];
  return (
    <p className="m-0 text-fg-2">
      <FactLine facts={facts} />
    </p>
  );
}
