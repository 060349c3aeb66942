import { useQuery } from "@tanstack/react-query";
import { Pin, TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "@/components/error-notice";
import { Icon } from "@/components/icon";
import { Spinner } from "@/components/spinner";
import type { RuleEffect } from "@/ipc/bindings/RuleEffect";
import type { RuleInput } from "@/ipc/bindings/RuleInput";
import { simulation } from "@/ipc/queries";
import { cx } from "@/lib/cx";
import { errorWords } from "@/lib/error-text";
import { formatCount } from "@/lib/format";
import { betweenSentences } from "@/lib/sentence";
import { useDebounced } from "@/lib/use-debounced";
import { PastCalls } from "./past-calls";

/** The most calls that the simulation returns. */
const TOLD = 200;

/** The effect that an unsaved rule would have had on past calls, and whether it is bound to a definition. */
export function Simulated({
  id,
  rule,
  pinned,
}: {
  id: number | null;
  rule: RuleInput;
  /** Whether it is already bound to one. */ pinned: boolean;
}) {
  const { t, i18n } = useTranslation("policies");
  // The end doesn't affect the simulation, and would change the query all the time.
  const drafted = JSON.stringify({ ...rule, expiresAt: null });
  const asked = useDebounced(drafted, 250);
  const query = useQuery({ ...simulation(id, JSON.parse(asked) as RuleInput), placeholderData: (before) => before });
  const count = (value: number) => formatCount(value, i18n.language);
  if (query.error) return <ErrorNotice tone="warn" title={t("sim.failed")} {...errorWords(query.error)} />;
  const { data } = query;
  const becoming = (effect: RuleEffect) => data?.changed.filter((call) => call.after === effect).length ?? 0;
  // A result for another draft doesn't apply.
  const told = asked === drafted && !query.isPlaceholderData;
  const gap = betweenSentences(i18n.language);
  // The host returns a limited number.
  const becomingShown = (effect: RuleEffect) =>
    data !== undefined && data.changed.length >= TOLD ? t("sim.least", { shown: count(becoming(effect)) }) : count(becoming(effect));
  return (
    <>
      <section aria-label={t("sim.title")} aria-busy={query.isFetching} className="rounded-m border border-line bg-sunken">
        <div className="px-3 py-2.5">
          <h3 className="m-0 flex items-center gap-2 text-md font-semibold">
            {t("sim.title")}
            {query.isFetching && <Spinner />}
          </h3>
          {data && (
            <p role="status" className="m-0 mt-0.5 text-fg-2 tabular">
              {data.calls === 0
                ? t("sim.none")
                : t("sim.matched", { count: data.matched, calls: count(data.calls), shown: count(data.matched) })}
              {data.changed.length > 0
                ? (["deny", "ask", "allow"] as const)
                    .map((effect) =>
                      becoming(effect) > 0 ? `${gap}${t(`sim.${effect}`, { count: becoming(effect), shown: becomingShown(effect) })}` : "",
                    )
                    .join("")
                : data.matched > 0 && `${gap}${t("sim.same")}`}
              {data.unknown > 0 && `${gap}${t("sim.unknown", { count: data.unknown })}`}
            </p>
          )}
        </div>
        {data && data.changed.length > 0 && <PastCalls calls={data.changed} />}
      </section>
      {pinned && data && (
        <p className={cx("m-0 flex gap-2 text-sm", data.pinned ? "text-fg-3" : "text-fg-2", !told && "invisible")}>
          <Icon of={data.pinned ? Pin : TriangleAlert} size={12} className={cx("mt-1 shrink-0", !data.pinned && "text-warn")} />
          <span className="min-w-0">{t(data.pinned ? "form.pinned" : "form.unpinned")}</span>
        </p>
      )}
    </>
  );
}
