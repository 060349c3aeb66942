import { History, Play, TextCursorInput } from "lucide-react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { CopyButton } from "@/components/code-block";
import { cx } from "@/lib/cx";
import { formatBytes, formatMs } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import { restoreArguments } from "../args/drafts";
import { restoreTexts } from "../args/texts";
import { type Run, useRuns } from "../runs";
import { showRun, showTab } from "../selection";
import type { Target } from "../target";
import { RunMark } from "./status-line";
import { clockTime } from "./clock-time";
import { TabEmpty } from "./tab-empty";

/** The calls of this item since the window opened. */
export function HistoryTab({
  server,
  target,
  shownId,
  onAgain,
  canRun,
}: {
  server: number;
  target: Target;
  shownId: string | undefined;
  onAgain: (run: Run) => void;
  canRun: boolean;
}) {
  const { t } = useTranslation("workbench");
  const runs = useRuns(server, target);
  const what = target.kind === "template" ? "resource" : target.kind;
  if (runs.length === 0) return <TabEmpty icon={History} title={t(`history.${what}.title`)} text={t(`history.${what}.before`)} />;
  return (
    <ol aria-label={t(`history.${what}.label`)} className="m-0 list-none p-0">
      {runs.map((run) => (
        <HistoryRow key={run.id} run={run} shown={run.id === shownId} onAgain={() => onAgain(run)} canRun={canRun} />
      ))}
    </ol>
  );
}

function HistoryRow({ run, shown, onAgain, canRun }: { run: Run; shown: boolean; onAgain: () => void; canRun: boolean }) {
  const { t, i18n } = useTranslation("workbench");
  const time = clockTime(run.startedAt, i18n.language);
  const open = () => {
    showRun(run.server, run.target, run.id);
    showTab("result");
  };
  const edit = () => {
    if (run.target.kind === "tool") restoreArguments(run.server, run.target.name, run.args);
    else restoreTexts(run.server, run.target, run.args);
    showTab("arguments");
  };
  return (
    <li className={cx("group/run relative border-b border-line", shown ? "bg-selected" : "hover:bg-hover")}>
      <button
        type="button"
        onClick={open}
        aria-current={shown ? "true" : undefined}
        className="inset-focus flex w-full min-w-0 flex-col gap-0.5 px-4 py-2 text-left"
      >
        <span className="flex w-full items-center gap-2">
          <RunMark run={run} />
          <span className="flex-1" />
          {run.outcome !== null && (
            <span className="text-sm text-fg-3 tabular">
              {formatMs(run.outcome.elapsedMs, i18n.language)}
              {run.outcome.bytes > 0 && ` · ${formatBytes(run.outcome.bytes, i18n.language)}`}
            </span>
          )}
          <span className="text-sm text-fg-2 tabular">{time}</span>
        </span>
        <span className="mono w-full truncate pr-24 text-fg-3">{visibleLine((run.uri ?? run.args).slice(0, 300))}</span>
      </button>
      <span className="absolute right-2.5 bottom-1 flex opacity-0 group-focus-within/run:opacity-100 group-hover/run:opacity-100">
        <CopyButton text={run.uri ?? run.args} label={t(run.uri === null ? "history.copy" : "result.copyAddress")} />
        {run.target.kind !== "resource" && <IconButton small icon={TextCursorInput} label={t("history.edit")} onClick={edit} />}
        <IconButton small icon={Play} label={t("history.again")} disabled={!canRun} onClick={onAgain} />
      </span>
    </li>
  );
}
