import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Tabs } from "@/components/tabs";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { ToolView } from "@/ipc/bindings/ToolView";
import { visibleLine } from "@/lib/untrusted";
import { runAgain } from "./begin";
import { useWithResult } from "./read-back";
import { HistoryTab } from "./result/history-tab";
import { RawTab } from "./result/raw-tab";
import { ResultTab } from "./result/result-tab";
import { shownState } from "./result/status-line";
import { StructuredTab } from "./result/structured-tab";
import { UseValue } from "./result/use-value";
import { type Run, useRuns } from "./runs";
import { type ResultTab as TabName, useResultTab, useShownRun } from "./selection";
import type { Target } from "./target";
import { isConnected } from "./tree/tree-rows";
import { useVariables } from "./variables/variables";

/** The right panel: result, raw text, history. In a narrow window the arguments are its first tab. */
export function ResultPanel({
  server,
  target,
  tool,
  waiting,
  first,
}: {
  server: ServerView;
  target: Target;
  /** The called tool, with its output schema. */
  tool: ToolView | null;
  /** The call that waits for an answer, if there is one. */
  waiting: string | undefined;
  first?: { label: string; content: ReactNode };
}) {
  const { t } = useTranslation("workbench");
  const [wanted, setTab] = useResultTab(first !== undefined);
  // Only tools return structured content.
  const tab = wanted === "structured" && tool === null ? "result" : wanted;
  const { run: chosen, latest } = useShownRun(server.id, target);
  const run = useWithResult(chosen);
  const running = useRuns(server.id, target).some((item) => item.state !== "done");
  const canRun = isConnected(server.state) && !running;
  const again = (earlier: Run) => {
    if (!canRun) return;
    void runAgain(client, server, earlier, variables);
  };
  const client = useQueryClient();
  const variables = useVariables();
  const what = target.kind === "template" ? "resource" : target.kind;
  const tabs: { value: TabName; label: ReactNode; content: ReactNode }[] = [
    {
      value: "result",
      label: t(`tab.answer.${what}`),
      content: (
        <ResultTab
          key={run?.id}
          run={run}
          latest={latest}
          server={server}
          target={target}
          waits={run !== undefined && run.id === waiting}
          onAgain={() => run !== undefined && again(run)}
        />
      ),
    },
    ...(tool === null
      ? []
      : [{ value: "structured" as const, label: t("tab.structured"), content: <StructuredTab key={run?.id} run={run} tool={tool} /> }]),
    { value: "raw", label: t("tab.raw"), content: <RawTab key={run?.id} run={run} /> },
    {
      value: "history",
      label: t("tab.history"),
      content: <HistoryTab server={server} target={target} shownId={run?.id} canRun={canRun} />,
    },
  ];
  if (first !== undefined)
    tabs.unshift({ value: "arguments", label: first.label, content: <div className="flex h-full min-h-0 flex-col">{first.content}</div> });
  return (
    <UseValue server={server} target={target}>
      <Tabs
        label={t("tab.label")}
        value={tab}
        onChange={setTab}
        tabs={tabs}
        // Scrolling content may take as much height as the panel has.
        panel="[container-type:size]"
      />
      <p role="status" className="sr-only">
        {run === undefined ? "" : t("run.announce", { tool: visibleLine(run.target.name), state: t(`run.${shownState(run)}`) })}
      </p>
    </UseValue>
  );
}
