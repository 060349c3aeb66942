import { ChevronRight, CircleX, FileDiff, Info, type LucideIcon, TriangleAlert } from "lucide-react";
import { Children, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import { leadIn } from "@/lib/lead-in";
import { Icon } from "./icon";
import { UntrustedText } from "./their-voice";

type NoticeTone = "bad" | "warn" | "changed" | "info";

/** An error looks like the state of its server. */
const tones: Record<NoticeTone, { icon: LucideIcon; colour: string }> = {
  bad: { icon: CircleX, colour: "text-bad" },
  warn: { icon: TriangleAlert, colour: "text-warn" },
  changed: { icon: FileDiff, colour: "text-warn" },
  info: { icon: Info, colour: "text-info" },
};

const intoSight = (notice: HTMLElement | null) => notice?.scrollIntoView({ block: "nearest" });

/** What happened, why, and the next step. The evidence is one click away, or expanded. */
export function ErrorNotice({
  title,
  why,
  theirs,
  next,
  evidence,
  unfolded = false,
  tone = "bad",
  answers = false,
  className,
  children,
}: {
  title: ReactNode;
  why?: ReactNode;
  /** Text from someone else, in the frame for that. */
  theirs?: ReactNode;
  next?: ReactNode;
  /** Raw evidence: an answer, or the end of standard error. */
  evidence?: string | null;
  /** Expands the evidence. */
  unfolded?: boolean;
  tone?: NoticeTone;
  /** It is the result of the person's action, and is scrolled into view. */
  answers?: boolean;
  className?: string;
  /** Buttons for the next step. */
  children?: ReactNode;
}) {
  const { t } = useTranslation();
  const { icon, colour } = tones[tone];
  return (
    <div ref={answers ? intoSight : undefined} role="alert" className={cx("rounded-m border border-line bg-sunken p-3", className)}>
      <div className="flex gap-2">
        <Icon of={icon} className={cx("mt-0.75 shrink-0", colour)} />
        <div className="min-w-0 flex-1">
          <p className="selectable m-0 font-[580] wrap-any">{title}</p>
          {why !== undefined && why !== null && <p className="selectable mt-0.5 mb-0 wrap-any text-fg-2">{why}</p>}
          {theirs}
          {next !== undefined && next !== null && (
            <p className="selectable mt-1.5 mb-0 wrap-any text-fg-2">
              <b className="text-fg">{leadIn(t("nextStep"))}</b>
              {next}
            </p>
          )}
          {evidence !== undefined && evidence !== null && evidence !== "" && (
            <details open={unfolded} className="group mt-2">
              <summary className="inline-flex list-none items-center gap-1 rounded-xs text-fg-2 hover:text-fg">
                <Icon of={ChevronRight} className="shrink-0 transition-transform group-open:rotate-90" />
                <span className="group-open:hidden">{t("evidence")}</span>
                <span className="not-group-open:hidden">{t("evidenceHide")}</span>
              </summary>
              <pre className="mt-1.5 mb-0 max-h-60 overflow-auto rounded-s border border-line bg-surface px-2.5 py-2 whitespace-pre-wrap wrap-any">
                <UntrustedText text={evidence} />
              </pre>
            </details>
          )}
          {/* A button without a frame is aligned with the text above it. */}
          {Children.toArray(children).length > 0 && (
            <div className="mt-2.5 flex flex-wrap gap-2 [&>.bg-transparent:first-child]:-ml-3">{children}</div>
          )}
        </div>
      </div>
    </div>
  );
}
