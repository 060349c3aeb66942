import { TriangleAlert } from "lucide-react";
import { Fragment, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { FactLine } from "@/components/fact-line";
import { Fold } from "@/components/fold";
import { Icon } from "@/components/icon";
import { LongText } from "@/components/long-text";
import type { BudgetLeft } from "@/ipc/bindings/BudgetLeft";
import type { SamplingReview } from "@/ipc/bindings/SamplingReview";
import { formatCount } from "@/lib/format";
import { dollars } from "./money";

/** The size of the request, and what is left of the server's budget today. The child is the editable figure. */
export function RequestFacts({
  review,
  budget,
  short,
  children,
}: {
  review: SamplingReview;
  budget: BudgetLeft | null;
  /** Whether the budget is too small. */
  short: boolean;
  children: ReactNode;
}) {
  const { t, i18n } = useTranslation("inbox");
  const { tokens } = review;
  const left =
    budget === null
      ? []
      : [
          budget.requests === null ? null : t("sampling.left.requests", { count: budget.requests }),
          budget.tokens === null ? null : t("sampling.left.tokens", { tokens: formatCount(budget.tokens, i18n.language) }),
          budget.cost === null ? null : t("sampling.left.cost", { cost: dollars(budget.cost, i18n.language) }),
        ].filter((part) => part !== null);
  const rows: [string, ReactNode][] = [
    [t("fact.tokens"), t("sampling.aboutTokens", { tokens: formatCount(tokens, i18n.language) })],
    [t("fact.maxTokens"), children],
    [
      t("fact.budget"),
      left.length === 0 ? (
        t("sampling.left.none")
      ) : short ? (
        <span key="short" className="flex gap-1.5 text-warn">
          <Icon of={TriangleAlert} className="mt-0.75 shrink-0" />
          <span className="min-w-0">
            <b className="block font-[580]">{t("sampling.left.short")}</b>
            <FactLine facts={left} />
          </span>
        </span>
      ) : (
        <FactLine key="left" facts={left} />
      ),
    ],
  ];
  return <Facts rows={rows} className="mt-3" />;
}

/** Details that only developers need. */
export function RequestDetails({ review: { temperature, stopSequences, contextRefused, round } }: { review: SamplingReview }) {
  const { t } = useTranslation("inbox");
  const rows: [string, ReactNode][] = [
    ...(temperature === null ? [] : [[t("fact.temperature"), String(temperature)] as [string, ReactNode]]),
    ...(stopSequences.length === 0
      ? []
      : [
          [
            t("fact.stop"),
            <span key="stop" data-theirs className="mono">
              <LongText text={stopSequences.map((text) => JSON.stringify(text)).join(", ")} inline />
            </span>,
          ] as [string, ReactNode],
        ]),
    ...(round > 1 ? [[t("fact.round"), t("sampling.round", { round })] as [string, ReactNode]] : []),
    ...(contextRefused === null
      ? []
      : [[t("fact.context"), t(contextRefused === "allServers" ? "sampling.contextAll" : "sampling.contextThis")] as [string, ReactNode]]),
  ];
  if (rows.length === 0) return null;
  return (
    <div className="mt-4.5">
      <Fold title={t("sampling.details")} count={rows.length}>
        <Facts rows={rows} />
      </Fold>
    </div>
  );
}

function Facts({ rows, className = "" }: { rows: readonly (readonly [string, ReactNode])[]; className?: string }) {
  return (
    <dl className={`m-0 grid grid-cols-[128px_minmax(0,1fr)] items-baseline gap-x-3 gap-y-1.75 ${className}`}>
      {rows.map(([name, value]) => (
        <Fragment key={name}>
          <dt className="text-fg-3">{name}</dt>
          <dd className="m-0 min-w-0 wrap-any tabular">{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
