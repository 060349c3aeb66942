import { ChevronRight, CircleCheck, CircleMinus, CircleX, type LucideIcon } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Icon } from "@/components/icon";
import { Said } from "@/components/said";
import { UntrustedText } from "@/components/their-voice";
import type { Check } from "@/ipc/bindings/Check";
import type { CheckOutcome } from "@/ipc/bindings/CheckOutcome";
import { cx } from "@/lib/cx";
import { leadIn } from "@/lib/lead-in";
import { sentence } from "@/lib/sentence";
import { visibleLine } from "@/lib/untrusted";

const marks: Record<CheckOutcome, { icon: LucideIcon; colour: string }> = {
  passed: { icon: CircleCheck, colour: "text-ok" },
  failed: { icon: CircleX, colour: "text-bad" },
  skipped: { icon: CircleMinus, colour: "text-fg-3" },
};

/** One check: its result in words, the evidence, and what to do. */
export function CheckRow({ check, fixLabel, onFix }: { check: Check; fixLabel: string | null; onFix: () => void }) {
  const { t, i18n } = useTranslation(["doctor", "common"]);
  const { icon, colour } = marks[check.outcome];
  const failed = check.outcome === "failed";
  const title = sentence(check.title, i18n.language);
  const subject = check.subject === null ? null : visibleLine(check.subject);
  return (
    <li className="flex gap-2.5 border-b border-line px-4 py-2.5 last:border-0">
      <Icon of={icon} className={cx("mt-0.75 shrink-0", colour)} />
      <div className="min-w-0 flex-1">
        <p className="m-0 flex flex-wrap items-baseline gap-x-2">
          <span className="selectable min-w-0 font-[560] wrap-any">
            {title}
            {subject !== null && <span className="font-normal text-fg-2"> {subject}</span>}
          </span>
          <span className={cx("text-sm", failed ? "text-bad" : "text-fg-3")}>{t(`outcome.${check.outcome}`)}</span>
        </p>
        {check.evidence.map((said, index) => (
          <p key={index} className="selectable m-0 mt-0.5 wrap-any text-fg-2">
            <Said said={said} whole />
          </p>
        ))}
        {check.quoted !== null && (
          <details open={failed} className="group mt-1.5">
            <summary className="inline-flex list-none items-center gap-1 rounded-xs text-fg-2 hover:text-fg">
              <Icon of={ChevronRight} className="shrink-0 transition-transform group-open:rotate-90" />
              {t("quoted")}
            </summary>
            <pre className="mt-1.5 mb-0 max-h-60 overflow-auto rounded-s border border-line bg-surface px-2.5 py-2 whitespace-pre-wrap wrap-any">
              <UntrustedText text={check.quoted} />
            </pre>
          </details>
        )}
        {failed && check.next !== null && (
          <p className="selectable mt-1.5 mb-0 wrap-any text-fg-2">
            <b className="text-fg">{leadIn(t("common:nextStep"))}</b>
            <Said said={check.next} whole />
          </p>
        )}
        {failed && (
          <div className="mt-2 flex flex-wrap items-center gap-2">
            {fixLabel !== null && (
              <Button aria-label={t("fixOf", { fix: fixLabel, check: title })} onClick={onFix}>
                {fixLabel}
              </Button>
            )}
            <span className="mono selectable text-sm text-fg-3">{check.error ?? check.code}</span>
          </div>
        )}
      </div>
    </li>
  );
}
