import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Ban, CircleX } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Icon } from "@/components/icon";
import type { DecisionView } from "@/ipc/bindings/DecisionView";
import { decisions } from "@/ipc/queries";
import { errorText } from "@/lib/error-text";
import { useNow } from "@/lib/use-now";
import { useTakeBack } from "../take-back";
import { DecisionSummary } from "./decision-summary";

/** How many decisions are shown if nothing waits. All have their own screen. */
export const LATEST = 10;

/** The outcomes of the last questions. Remembered answers can be undone here. */
export function DecisionList() {
  const { t } = useTranslation(["inbox", "common"]);
  // It appears once they were read. A failed read is only retried by hand, because otherwise it would flicker.
  const { data: list = [], error, isFetching, refetch } = useQuery({ ...decisions(LATEST), retryOnMount: false });
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
  const { t } = useTranslation("inbox");
  const { forget } = useTakeBack();
  const { remembered } = decision;
  return (
    <li className="flex items-start gap-1">
      <Link
        to="/inbox/decisions"
        search={{ id: decision.id }}
        className="-mx-1.5 flex min-w-0 flex-1 items-start gap-2.5 rounded-s px-1.5 py-1.5 text-fg no-underline hover:bg-hover"
      >
        <DecisionSummary decision={decision} now={now} />
      </Link>
      {remembered !== null && (
        <Button look="ghost" icon={Ban} onClick={() => void forget(remembered)}>
          {t("decisions.forget")}
        </Button>
      )}
    </li>
  );
}
