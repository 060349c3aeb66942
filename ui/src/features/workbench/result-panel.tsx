import { type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Tabs } from "@/components/tabs";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { ToolView } from "@/ipc/bindings/ToolView";
import { formatBytes, formatMs } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import { HistoryTab } from "./result/history-tab";
import { RawTab } from "./result/raw-tab";
import { ResultTab } from "./result/result-tab";
import { shownState } from "./result/status-line";
import { StructuredTab } from "./result/structured-tab";
import { type Run, startRun, useRuns } from "./runs";
import { type ResultTab as TabName, showRun, showTab, useResultTab, useShownRun } from "./selection";
import { isConnected } from "./tree/tree-rows";

/** The right side: result, structured content, exact text, history. In a narrow window the arguments are its first tab. */
export function ResultPanel({ server, tool, first }: { server: ServerView; tool: ToolView; first?: ReactNode }) {
  const { t } = useTranslation("workbench");
  const [tab, setTab] = useResultTab(first !== undefined);
  const { run, latest } = useShownRun(server.id, tool.name);
  const running = useRuns(server.id, tool.name).some((item) => item.state !== "done");
  const canRun = isConnected(server.state) && !running;
  const again = (args: string) => {
    if (!canRun) return;
    const id = startRun({ server: { id: server.id, name: server.name }, tool: tool.name, args });
    showRun(server.id, tool.name, id);
    showTab("result");
  };
  const tabs: { value: TabName; label: ReactNode; content: ReactNode }[] = [
    { value: "result", label: t("tab.result"), content: <ResultTab key={run?.id} run={run} latest={latest} server={server} tool={tool.name} onAgain={() => run !== undefined && again(run.args)} /> },
    { value: "structured", label: t("tab.structured"), content: <StructuredTab key={run?.id} run={run} tool={tool} /> },
    { value: "raw", label: t("tab.raw"), content: <RawTab key={run?.id} run={run} /> },
    { value: "history", label: t("tab.history"), content: <HistoryTab server={server.id} tool={tool.name} shownId={run?.id} onAgain={again} canRun={canRun} /> },
  ];
  if (first !== undefined) tabs.unshift({ value: "arguments", label: t("tab.arguments"), content: <div className="flex h-full min-h-0 flex-col">{first}</div> });
  return (
    <>
      <Tabs label={t("tab.label")} value={tab} onChange={setTab} tabs={tabs} after={<Measure run={run} />} />
      <p role="status" className="sr-only">{run === undefined ? "" : t("run.announce", { tool: visibleLine(run.tool), state: t(`run.${shownState(run)}`) })}</p>
    </>
  );
}

/** How long it took and how much came back. */
function Measure({ run }: { run: Run | undefined }) {
  const { i18n } = useTranslation();
  if (run === undefined || run.outcome === null) return null;
  return (
    <span className="shrink-0 pl-2 text-fg-3 tabular">
      {formatMs(run.outcome.elapsedMs, i18n.language)}
      {run.outcome.bytes > 0 && ` · ${formatBytes(run.outcome.bytes, i18n.language)}`}
    </span>
  );
}
