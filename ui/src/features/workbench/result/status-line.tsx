import {
  CircleCheck,
  CircleHelp,
  CircleSlash,
  CircleX,
  Clock,
  Hourglass,
  LoaderCircle,
  type LucideIcon,
  TriangleAlert,
} from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { ProgressBar } from "@/components/progress-bar";
import { UntrustedText } from "@/components/their-voice";
import { cx } from "@/lib/cx";
import { formatBytes, formatMs } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import type { CallStatus } from "@/ipc/bindings/CallStatus";
import type { Progress, Run } from "../runs";

type Shown = CallStatus | "running" | "waiting" | "cancelling" | "unknown";

const marks: Record<Shown, { icon: LucideIcon; colour: string; turns?: boolean }> = {
  running: { icon: LoaderCircle, colour: "text-info", turns: true },
  waiting: { icon: Hourglass, colour: "text-wait" },
  cancelling: { icon: LoaderCircle, colour: "text-fg-2", turns: true },
  ok: { icon: CircleCheck, colour: "text-ok" },
  tool_error: { icon: TriangleAlert, colour: "text-bad" },
  rpc_error: { icon: CircleX, colour: "text-bad" },
  timed_out: { icon: Clock, colour: "text-bad" },
  cancelled: { icon: CircleSlash, colour: "text-fg-2" },
  failed: { icon: CircleX, colour: "text-bad" },
  unknown: { icon: CircleHelp, colour: "text-fg-2" },
};

/** The state of a call, as one word for icons and texts. */
export function shownState(run: Run): Shown {
  return run.outcome?.status ?? run.logged?.status ?? (run.state === "cancelling" ? "cancelling" : "running");
}

/** The state of a call: icon, word and colour. */
export function RunMark({ state }: { state: Shown }) {
  const { t } = useTranslation("workbench");
  const { icon: Shape, colour, turns } = marks[state];
  return (
    <span data-run-state={state} className={cx("inline-flex shrink-0 items-center gap-1.5 font-medium whitespace-nowrap", colour)}>
      <Shape aria-hidden size={14} className={cx("shrink-0", turns && "animate-spin")} />
      {t(`run.${state}`)}
    </span>
  );
}

/** Milliseconds since the call started, updated while it runs. */
function useElapsed(run: Run): number {
  const [now, setNow] = useState(() => Date.now());
  const running = run.state !== "done";
  const elapsed = Math.max(0, now - run.startedAt);
  // Each update draws the page, so a long call is updated less often.
  const step = elapsed < 2_000 ? 250 : 1_000;
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => setNow(Date.now()), step);
    return () => clearInterval(timer);
  }, [running, step]);
  return elapsed;
}

function Elapsed({ run }: { run: Run }) {
  const { i18n } = useTranslation();
  const elapsed = useElapsed(run);
  return <span className="shrink-0 text-fg-3 tabular">{formatMs(Math.floor(elapsed / 100) * 100, i18n.language)}</span>;
}

function Measure({ run: { outcome } }: { run: Run }) {
  const { i18n } = useTranslation();
  if (outcome === null) return null;
  return (
    <span className="shrink-0 text-fg-3 tabular">
      {formatMs(outcome.elapsedMs, i18n.language)}
      {outcome.bytes > 0 && ` · ${formatBytes(outcome.bytes, i18n.language)}`}
    </span>
  );
}

const number = (value: number, language: string) => new Intl.NumberFormat(language, { maximumFractionDigits: 2 }).format(value);

/** The progress: a fraction if the total is known, otherwise a count. */
function Count({ progress }: { progress: Progress }) {
  const { t, i18n } = useTranslation(["workbench", "common"]);
  const done = number(progress.progress, i18n.language);
  return (
    <span className="shrink-0 text-fg-3 tabular">
      {progress.total === null ? done : t("run.of", { done, total: number(progress.total, i18n.language) })}
    </span>
  );
}

/** The line above a result: state, progress, time. The server's progress message is below, set apart. */
export function StatusLine({
  run,
  waits = false,
  measured,
  children,
}: {
  run: Run;
  waits?: boolean;
  /** Whether to show the time and size of a finished call. */
  measured: boolean;
  children?: ReactNode;
}) {
  const { t } = useTranslation(["workbench", "common"]);
  const running = run.state !== "done";
  const { progress } = run;
  const bar = running || (progress !== null && progress.total !== null);
  const value = progress?.total == null ? null : run.outcome?.status === "ok" ? progress.total : progress.progress;
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex min-h-5 items-center gap-2.5">
        <RunMark state={waits && run.state === "running" ? "waiting" : shownState(run)} />
        {bar ? (
          <div className="min-w-0 flex-1">
            <ProgressBar value={value} max={progress?.total ?? 100} label={t("run.progress")} />
          </div>
        ) : (
          <span className="flex-1" />
        )}
        {progress !== null && <Count progress={progress} />}
        {running ? <Elapsed run={run} /> : measured && <Measure run={run} />}
        {children}
      </div>
      {running && progress?.message != null && progress.message !== "" && (
        <blockquote
          aria-label={t("common:theirWords", { server: visibleLine(run.serverName) })}
          className="selectable m-0 truncate border-l-2 border-line-strong pl-2 text-sm text-fg-2"
        >
          <UntrustedText text={progress.message.slice(0, 1_000).replaceAll(/\s+/g, " ")} />
        </blockquote>
      )}
    </div>
  );
}
