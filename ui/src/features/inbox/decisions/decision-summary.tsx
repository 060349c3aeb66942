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

/** How a question ended. What was agreed to and then could not be done is no success. */
export const endOf = ({ outcome, reason }: DecisionView): keyof typeof marks =>
  outcome === "accepted" && reason !== null ? "undone" : outcome;

/** The key of the word for how it ended: what was agreed to by the word of the button that did so. */
export const endWord = (decision: DecisionView) => {
  const end = endOf(decision);
  return end === "accepted" ? (`outcome.accepted.${decision.kind}` as const) : (`outcome.${end}` as const);
};

/** What was decided, in two lines: about what, for whom, how and when. */
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
              // A name of nothing names nothing: the practice model has none.
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
