import { CircleCheck, CircleSlash, ExternalLink } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Icon } from "@/components/icon";
import { ProgressBar } from "@/components/progress-bar";
import { Spinner } from "@/components/spinner";
import { Quoted } from "@/components/their-voice";
import type { SignInView } from "@/ipc/bindings/SignInView";
import { formatAgo, formatMs } from "@/lib/format";
import { useNow } from "@/lib/use-now";
import { visibleLine } from "@/lib/untrusted";

interface ProgressProps {
  view: SignInView;
  /** The account's name from the authorization server. Null if it provides none. */
  who: string | null;
  onCancel: () => void;
  onReopen: () => void;
}

/** The progress of a sign-in, with buttons to cancel it or return to the browser. A failure has its own notice. */
export function Progress({ view, who, onCancel, onReopen }: ProgressProps) {
  const { t, i18n } = useTranslation("sign-in");
  const now = useNow(1_000);
  const { status } = view;
  // The wait starts with the last step, and this clock may be a second behind, so limit the rest to the whole.
  const whole = Math.max(0, (view.deadline ?? now) - Math.max(view.startedAt, view.steps.at(-1)?.at ?? 0));
  const left = Math.min(whole, Math.max(0, (view.deadline ?? now) - now));
  const ago = formatAgo(view.endedAt ?? view.startedAt, now, i18n.language);
  switch (status) {
    case "working":
      return (
        <Box icon={<Spinner />} text={t("progress.working")}>
          <div className="mt-2.5">
            <Button onClick={onCancel}>{t("cancel", { ns: "common" })}</Button>
          </div>
        </Box>
      );
    case "browser":
      return (
        <Box
          icon={<Icon of={ExternalLink} className="mt-0.75 shrink-0 text-info" />}
          text={view.browserHost === null ? t("progress.browserSomewhere") : t("progress.browser", { host: visibleLine(view.browserHost) })}
        >
          {view.deadline !== null && (
            <>
              <p className="m-0 mt-0.5 mb-2 text-fg-2 tabular">
                {t("progress.left", { time: formatMs(Math.round(left / 1000) * 1000, i18n.language) })}
              </p>
              <ProgressBar value={left} max={Math.max(1, whole)} label={t("progress.time")} />
            </>
          )}
          <div className="mt-2.5 flex gap-2">
            <Button icon={ExternalLink} onClick={onReopen}>
              {t("progress.reopen")}
            </Button>
            <Button onClick={onCancel}>{t("cancel", { ns: "common" })}</Button>
          </div>
        </Box>
      );
    case "done":
      return (
        <Box
          icon={<Icon of={CircleCheck} className="mt-0.75 shrink-0 text-ok" />}
          text={
            <>
              {t("progress.done")} {who === null ? t("unnamed", { ns: "accounts" }) : <Quoted text={who} />}
              {t("progress.doneAfter")}
            </>
          }
        >
          <span className="text-fg-3">{ago}</span>
        </Box>
      );
    case "cancelled":
      return (
        <Box icon={<Icon of={CircleSlash} className="mt-0.75 shrink-0 text-fg-3" />} text={t("progress.cancelled")}>
          <span className="text-fg-3">{ago}</span>
        </Box>
      );
    case "failed":
      return null;
    default:
      status satisfies never;
      return null;
  }
}

function Box({ icon, text, children }: { icon: ReactNode; text: ReactNode; children: ReactNode }) {
  return (
    <div className="flex gap-2.5 rounded-m border border-line bg-sunken p-3">
      {icon}
      <div className="min-w-0 flex-1">
        <p role="status" className="m-0 font-[560] wrap-any">
          {text}
        </p>
        {children}
      </div>
    </div>
  );
}
