import { useQuery } from "@tanstack/react-query";
import { Ban, CircleX } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "@/components/button";
import { Icon } from "@/components/icon";
import { Quoted, UntrustedText } from "@/components/their-voice";
import type { DecisionView } from "@/ipc/bindings/DecisionView";
import { callerName } from "@/lib/callers";
import { decisions } from "@/ipc/queries";
import { errorText } from "@/lib/error-text";
import { formatAgo, formatMoment } from "@/lib/format";
import { sentence } from "@/lib/sentence";
import { useNow } from "@/lib/use-now";
import { Facts } from "../queue/facts";
import { useTakeBack } from "../take-back";
import { marks } from "./marks";

/** How the last questions ended; what remembers an answer can be taken back here. */
export function DecisionList({ limit }: { limit: number }) {
  const { t } = useTranslation(["inbox", "common"]);
  const { data: list = [], error, isFetching, refetch } = useQuery(decisions(limit));
  const now = useNow(10_000);
  if (error) {
    return (
      <div role="alert" className="flex gap-2 py-1">
        <Icon of={CircleX} className="mt-0.75 shrink-0 text-bad" />
        <div className="min-w-0 wrap-any">
          <b className="block font-[580]">{t("decisions.failed")}</b>
          <span className="block text-fg-2">{errorText(error)}</span>
          <Button className="mt-2" busy={isFetching} onClick={() => void refetch()}>
            {t("common:tryAgain")}
          </Button>
        </div>
      </div>
    );
  }
  if (list.length === 0) return <p className="m-0 py-1 text-fg-3">{t("decisions.none")}</p>;
  return (
    <ul className="m-0 list-none p-0">
      {list.map((item) => (
        <DecisionRow key={`${item.id}-${item.decidedAt}`} decision={item} now={now} />
      ))}
    </ul>
  );
}

function DecisionRow({ decision, now }: { decision: DecisionView; now: number }) {
  const { t, i18n } = useTranslation(["inbox", "common"]);
  const { forget } = useTakeBack();
  // What was agreed to and then could not be done is no success.
  const undone = decision.outcome === "accepted" && decision.reason !== null;
  const { icon, colour } = marks[undone ? "undone" : decision.outcome];
  const { remembered } = decision;
  return (
    <li className="flex items-start gap-2.5 py-1.5">
      <Icon of={icon} className={`mt-0.75 shrink-0 ${colour}`} />
      <div className="min-w-0 flex-1">
        <span className="block wrap-any text-fg-2">
          <Facts
            facts={[
              // A name of nothing names nothing: the practice model has none.
              decision.subject?.trim() ? <Quoted key="subject" text={decision.subject} /> : t(`kind.${decision.kind}`),
              <bdi key="server">
                <UntrustedText text={decision.serverName} />
              </bdi>,
            ]}
          />
        </span>
        <span className="block text-sm text-fg-3 tabular" title={formatMoment(decision.decidedAt, i18n.language)}>
          <Facts
            facts={[
              t("decisions.when", {
                outcome: t(`outcome.${undone ? "undone" : decision.outcome}`),
                ago: formatAgo(decision.decidedAt, now, i18n.language),
              }),
              ...(decision.kind === "tool" && decision.caller !== null ? [t("calledBy", { caller: callerName(decision.caller, t) })] : []),
              ...(remembered === null ? [] : [t("decisions.remembered")]),
              ...(decision.reason === null ? [] : [sentence(decision.reason, i18n.language)]),
            ]}
          />
        </span>
      </div>
      {remembered !== null && <IconButton small icon={Ban} label={t("decisions.forget")} onClick={() => void forget(remembered)} />}
    </li>
  );
}
