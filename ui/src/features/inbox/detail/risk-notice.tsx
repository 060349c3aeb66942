import { useTranslation } from "react-i18next";
import { Changes } from "@/components/changes";
import { Icon } from "@/components/icon";
import type { PinView } from "@/ipc/bindings/PinView";
import { cx } from "@/lib/cx";
import { leadIn } from "@/lib/lead-in";
import { type Risk, riskMarks } from "../risks";

/** The id of the notice, as the description of the approving button. */
export const RISK_NOTICE = "question-risks";

/** The dangers of an approval, in a frame above everything else. If the tool has changed, with its changes. */
export function RiskNotice({
  server,
  risks,
  changed,
  onReview,
}: {
  server: string;
  risks: readonly Risk[];
  changed: PinView | null;
  /** Opens the definition of an unreviewed tool. */
  onReview: () => void;
}) {
  const { t } = useTranslation("inbox");
  const [worst] = risks;
  if (worst === undefined) return null;
  return (
    <section
      id={RISK_NOTICE}
      aria-label={t("risk.label")}
      className={cx("mt-4 rounded-m border p-3", riskMarks[worst].tone === "bad" ? "border-bad" : "border-warn")}
    >
      <ul className="m-0 flex list-none flex-col gap-2.5 p-0">
        {risks.map((risk) => {
          const { icon, tone } = riskMarks[risk];
          return (
            <li key={risk} className="flex gap-2">
              <Icon of={icon} size={16} className={cx("mt-px shrink-0", tone === "bad" ? "text-bad" : "text-warn")} />
              {/* As one paragraph, so that the arguments stay visible below it. */}
              <p className="m-0 min-w-0 flex-1 text-fg-2">
                <b className={cx("font-semibold", tone === "bad" ? "text-bad" : "text-warn")}>{t(`risk.${risk}.title`)}</b>
                {leadIn(t("risk.stop"))}
                <span>{t(`risk.${risk}.text`)}</span>
                {risk === "unreviewed" && changed === null && (
                  <>
                    {" "}
                    <button
                      type="button"
                      onClick={onReview}
                      className="rounded-xs font-medium whitespace-nowrap text-accent hover:underline"
                    >
                      {t("risk.unreviewed.review")}
                    </button>
                  </>
                )}
              </p>
            </li>
          );
        })}
      </ul>
      {changed !== null && changed.changes.length > 0 && <Changes server={server} pin={changed} whole />}
    </section>
  );
}
