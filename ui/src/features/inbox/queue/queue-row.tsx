import { CornerDownRight } from "lucide-react";
import { useTranslation } from "react-i18next";
import { FactLine } from "@/components/fact-line";
import { Icon } from "@/components/icon";
import { UntrustedText } from "@/components/their-voice";
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import { callerName, callerOf, callingApp } from "@/lib/callers";
import { cx } from "@/lib/cx";
import { formatAgo, formatCount, formatMoment } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import { kindOf, Short } from "../kinds/kinds";
import { riskMarks, useRisks } from "../risks";
import { useUntil } from "../detail/until";

/** A question that can be answered: its subject, its asker, its age. */
export function QueueRow({
  view,
  now,
  chosen,
  onChoose,
}: {
  view: InteractionView;
  now: number;
  chosen: boolean;
  onChoose: (id: number) => void;
}) {
  const { t, i18n } = useTranslation(["inbox", "common"]);
  const until = useUntil();
  const { risks } = useRisks(view);
  const [worst] = risks;
  const { icon, colour } = worst === undefined ? kindOf(view.question).mark(view.question) : riskMarks[worst];
  const caller = callerOf(view.occasion.caller);
  const app = callingApp(view.occasion.caller);
  const by =
    view.question.kind === "tool" && view.occasion.caller !== null
      ? t("calledBy", { caller: callerName(view.occasion.caller, t, view.serverName) })
      : app === null
        ? caller && t(`queue.by.${caller}`)
        : t("queue.by.app", { app });
  const tokens = view.question.kind === "sampling" ? t("queue.tokens", { tokens: formatCount(view.question.tokens, i18n.language) }) : null;
  const keyless = view.question.kind === "tool" && view.question.keyless;
  const facts = [
    view.putOff && until(view.putOff),
    t("queue.asked", { ago: formatAgo(view.askedAt, now, i18n.language) }),
    view.draft === null || view.draft === "{}" ? null : t("queue.draft"),
    tokens,
    // Its name is the subject of the question.
    view.question.kind === "app" ? null : by,
    keyless && (
      <span key="keyless" className="text-warn">
        {t("queue.keyless")}
      </span>
    ),
    ...risks.map((risk) => (
      <span key={risk} className={riskMarks[risk].colour}>
        {t(`risk.${risk}.short`)}
      </span>
    )),
  ].filter((part) => part !== null && part !== false);
  return (
    <button
      type="button"
      aria-current={chosen}
      onClick={() => onChoose(view.id)}
      className={cx("inset-focus flex w-full gap-2.5 px-3.5 py-2.5 text-left transition-colors", chosen ? "bg-selected" : "hover:bg-hover")}
    >
      <Icon of={icon} size={16} className={cx("mt-0.5 shrink-0", colour)} />
      <span className="min-w-0 flex-1">
        <b data-name-cell className="block truncate">
          <Short question={view.question} />
        </b>
        <span
          title={[view.serverName, view.account]
            .filter((name) => name !== null)
            .map(visibleLine)
            .join(" · ")}
          className="block truncate text-fg-2"
        >
          <bdi>
            <UntrustedText text={view.serverName} />
          </bdi>
          {view.account !== null && (
            <>
              {" "}
              ·{" "}
              <bdi data-theirs>
                <UntrustedText text={view.account} />
              </bdi>
            </>
          )}
        </span>
        <span title={formatMoment(view.askedAt, i18n.language)} className="block text-sm text-fg-3 tabular">
          <FactLine facts={facts} />
        </span>
      </span>
    </button>
  );
}

/** A question that waits behind another one of its server. */
export function BehindRow({ view }: { view: InteractionView }) {
  const { t } = useTranslation("inbox");
  return (
    <div className="flex items-center gap-2.5 px-3.5 py-1.25 text-sm last:pb-2.5 text-fg-3">
      <Icon of={CornerDownRight} className="ml-px shrink-0" />
      <span className="min-w-0 truncate">
        <Short question={view.question} /> · {t("queue.behind")}
      </span>
    </div>
  );
}
