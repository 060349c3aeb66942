import { ChevronRight, CircleX } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import { Said } from "@/components/said";
import { Spinner } from "@/components/spinner";
import { UntrustedText } from "@/components/their-voice";
import type { SignInStepView } from "@/ipc/bindings/SignInStepView";
import { cx } from "@/lib/cx";
import { formatMs } from "@/lib/format";
import { hostOf } from "@/lib/logins";
import { sentence } from "@/lib/sentence";
import { purposes } from "./purposes";

/** The steps so far, in order, each with its finding. The evidence is one click away. */
export function Steps({
  steps,
  pending,
}: {
  steps: readonly SignInStepView[];
  /** The current step, if there is one. */ pending: string | null;
}) {
  const { t } = useTranslation("sign-in");
  return (
    <section aria-labelledby="sign-in-steps">
      <h3 id="sign-in-steps" className="m-0 mb-2 font-semibold">
        {t("steps.title")}
      </h3>
      <ol className="m-0 list-none p-0">
        {steps.map((step, index) => (
          <Step key={index} step={step} last={index === steps.length - 1 && pending === null} />
        ))}
        {pending !== null && (
          <li className="flex items-center gap-3 text-fg-2">
            <span className="grid size-5.5 shrink-0 place-items-center rounded-full border border-line-strong bg-surface">
              <Spinner />
            </span>
            {pending}
          </li>
        )}
      </ol>
    </section>
  );
}

function Step({ step, last }: { step: SignInStepView; last: boolean }) {
  const { t, i18n } = useTranslation("sign-in");
  return (
    <li className="relative flex gap-3 pb-3.5 last:pb-0">
      {!last && <span aria-hidden className="absolute top-6 bottom-0.5 left-2.75 w-px bg-line" />}
      <span
        className={cx(
          "grid size-5.5 shrink-0 place-items-center rounded-full border bg-surface",
          step.ok ? "border-line-strong text-fg-2" : "border-bad text-bad",
        )}
      >
        <Icon of={step.ok ? purposes[step.purpose] : CircleX} size={12} />
      </span>
      <div className="min-w-0 flex-1 pt-px">
        <div className="flex items-baseline gap-2">
          <span className={cx("min-w-0 flex-1 font-[560]", !step.ok && "text-bad")}>
            {t(`purpose.${step.purpose}`)}
            {!step.ok && <span className="sr-only"> {t("steps.failed")}</span>}
          </span>
          {step.tookMs > 0 && <span className="shrink-0 text-sm text-fg-3 tabular">{formatMs(step.tookMs, i18n.language)}</span>}
        </div>
        <p className="selectable m-0 wrap-any text-fg-2">{step.ok ? sentence(step.found, i18n.language) : <Said said={step.found} />}</p>
        {step.url !== null && <Evidence step={step} url={step.url} />}
      </div>
    </li>
  );
}

function Evidence({ step, url }: { step: SignInStepView; url: string }) {
  const { t, i18n } = useTranslation("sign-in");
  return (
    <details open={!step.ok} className="group/step mt-0.5">
      <summary className="inline-flex max-w-full list-none items-center gap-1 rounded-xs text-sm text-fg-3 hover:text-fg">
        <Icon of={ChevronRight} size={12} className="shrink-0 transition-transform group-open/step:rotate-90" />
        <span className="truncate">
          {step.status === null ? hostOf(url) : t("steps.answer", { host: hostOf(url), status: step.status })}
        </span>
      </summary>
      <dl className="m-0 mt-1 grid grid-cols-[64px_minmax(0,1fr)] gap-x-2 gap-y-0.5 rounded-s border border-line bg-sunken px-2.5 py-1.75 text-sm">
        <dt className="text-fg-3">{t("steps.url")}</dt>
        <dd className="mono m-0 wrap-any">
          <UntrustedText text={url} />
        </dd>
        {step.status !== null && (
          <>
            <dt className="text-fg-3">{t("steps.status")}</dt>
            <dd className="m-0 tabular">{step.status}</dd>
          </>
        )}
        <dt className="text-fg-3">{t("steps.time")}</dt>
        <dd className="m-0 tabular">
          {new Intl.DateTimeFormat(i18n.language, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }).format(
            step.at,
          )}
          {step.tookMs > 0 && ` · ${formatMs(step.tookMs, i18n.language)}`}
        </dd>
      </dl>
    </details>
  );
}
