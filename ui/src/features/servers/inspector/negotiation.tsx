import { useTranslation } from "react-i18next";
import { UntrustedText } from "@/components/their-voice";
import type { NegotiationStep } from "@/ipc/bindings/NegotiationStep";
import { formatMs } from "@/lib/format";
import { wholeSentence } from "@/lib/sentence";

/** How the protocol version was negotiated: the requests, their results and durations, in order. */
export function Negotiation({ steps }: { steps: readonly NegotiationStep[] }) {
  const { t, i18n } = useTranslation("servers");
  return (
    <section aria-labelledby="server-negotiation">
      <h3 id="server-negotiation" className="m-0 mb-2 font-semibold">
        {t("negotiation.title")}
      </h3>
      <ol className="m-0 list-none p-0">
        {steps.map((step, index) => {
          const last = index === steps.length - 1;
          return (
            <li key={index} className="relative flex gap-3 pb-3 last:pb-0">
              {!last && <span aria-hidden className="absolute top-5 bottom-0 left-2.25 w-px bg-line" />}
              <span className="grid size-4.75 shrink-0 place-items-center rounded-full border border-line-strong bg-surface text-xs font-medium text-fg-2 tabular">
                {index + 1}
              </span>
              <div className="min-w-0 flex-1">
                <div className="flex items-baseline gap-2">
                  <code className="selectable min-w-0 flex-1 wrap-any">
                    {step.request === "" ? (
                      <span className="font-ui text-md text-fg-2">{wholeSentence(step.outcome, i18n.language)}</span>
                    ) : (
                      <UntrustedText text={step.request} />
                    )}
                  </code>
                  {step.elapsedMs !== null && (
                    <span className="shrink-0 text-sm text-fg-3 tabular">{formatMs(step.elapsedMs, i18n.language)}</span>
                  )}
                </div>
                {step.request !== "" && <p className="selectable m-0 wrap-any text-fg-2">{wholeSentence(step.outcome, i18n.language)}</p>}
              </div>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
