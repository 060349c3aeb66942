import { useQuery } from "@tanstack/react-query";
import { ListChecks } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "@tanstack/react-router";
import { Icon } from "@/components/icon";
import { UntrustedText } from "@/components/their-voice";
import { tasks } from "@/ipc/queries";
import { visibleLine } from "@/lib/untrusted";
import type { Run } from "../runs";
import { TaskMark } from "./task-mark";
import { isUnderWay } from "./task-status";

/** Shown while a call runs as a task: that it is one, and its state. */
export function TaskStrip({ run }: { run: Run }) {
  const { t } = useTranslation(["workbench", "common"]);
  const navigate = useNavigate();
  const { data = [] } = useQuery(tasks(run.server));
  // A task only has its tool and its time in common with its call.
  const task = data
    .filter((item) => item.tool === run.target.name && item.createdAt >= run.startedAt - 1_000 && isUnderWay(item.status))
    .toSorted((left, right) => left.createdAt - right.createdAt)[0];
  if (task === undefined) return null;
  return (
    <div className="rounded-m border border-line bg-sunken px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Icon of={ListChecks} className="shrink-0 text-fg-3" />
        <span className="min-w-32 flex-1 text-fg-2">{t("task.became")}</span>
        <TaskMark status={task.status} />
        <button
          type="button"
          onClick={() => void navigate({ to: "/workbench", search: { server: run.server, view: "tasks" } })}
          className="shrink-0 rounded-xs font-medium text-accent hover:underline"
        >
          {t("task.showAll")}
        </button>
      </div>
      {task.statusMessage !== null && task.statusMessage !== "" && (
        <blockquote
          aria-label={t("common:theirWords", { server: visibleLine(run.serverName) })}
          className="selectable mt-1.5 mb-0 ml-0 line-clamp-3 border-l-2 wrap-any border-line-strong pl-2 text-sm text-fg-2"
        >
          <UntrustedText text={task.statusMessage.slice(0, 500).replaceAll(/\s+/g, " ")} />
        </blockquote>
      )}
    </div>
  );
}
