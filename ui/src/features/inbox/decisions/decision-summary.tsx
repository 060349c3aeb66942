import { useTranslation } from "react-i18next";
import { FactLine } from "@/components/fact-line";
import { Icon } from "@/components/icon";
import { Quoted, UntrustedText } from "@/components/their-voice";
import type { DecisionView } from "@/ipc/bindings/DecisionView";
import { callerName } from "@/lib/callers";
import { formatAgo, formatMoment } from "@/lib/format";
import { sentence } from "@/lib/sentence";
import { decidedMatter } from "../kinds/kinds";
import { marks } from "./marks";

/** The outcome of a question. An approved action that failed isn't a success. */
export const endOf = ({ outcome, reason }: DecisionView): keyof typeof marks =>
  outcome === "accepted" && reason !== null ? "undone" : outcome;

/** The key of the outcome's text. An approval uses the text of the button that gave it. */
export const endWord = (decision: DecisionView) => {
  const end = endOf(decision);
  return end === "accepted" ? (`outcome.accepted.${decision.kind}` as const) : (`outcome.${end}` as const);
};

/** A decision in two lines: the subject, the asker, the outcome and the time. */
export function DecisionSummary({ decision, now }: { decision: DecisionView; now: number }) {
  const { t, i18n } = useTranslation(["inbox", "common"]);
  const end = endOf(decision);
  const { icon, colour } = marks[end];
  const what = t(`kind.${decidedMatter(decision)}`);
  return (
    <>
      <Icon of={icon} className={`mt-0.75 shrink-0 ${colour}`} />
      <div data-name-cell className="min-w-0 flex-1">
        <span className="block wrap-any text-fg-2">
          <FactLine
            facts={[
              // An empty name says nothing: the practice model has none.
              ...(decision.subject?.trim()
                ? [...(decision.kind === "tool" ? [] : [what]), <Quoted key="subject" text={decision.subject} />]
                : [what]),
              <bdi key="server">
                <UntrustedText text={decision.serverName} />
              </bdi>,
            ]}
          />
        </span>
        <span className="block text-sm text-fg-3 tabular" title={formatMoment(decision.decidedAt, i18n.language)}>
          <FactLine
            facts={[
              t("decisions.when", { outcome: t(endWord(decision)), ago: formatAgo(decision.decidedAt, now, i18n.language) }),
              ...(decision.kind === "tool" && decision.caller !== null
                ? [t("calledBy", { caller: callerName(decision.caller, t, decision.serverName) })]
                : []),
              ...(decision.remembered === null ? [] : [t("decisions.remembered")]),
              ...(decision.reason === null ? [] : [sentence(decision.reason, i18n.language)]),
            ]}
          />
        </span>
      </div>
    </>
  );
}
