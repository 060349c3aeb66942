import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { CircleStop, ListChecks, MessageSquareReply } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { EmptyState } from "@/components/empty-state";
import { ErrorNotice } from "@/components/error-notice";
import { Skeleton } from "@/components/skeleton";
import { UntrustedText } from "@/components/their-voice";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { TaskView } from "@/ipc/bindings/TaskView";
import { inbox, tasks } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { formatAgo, formatList, formatMs, formatSpan } from "@/lib/format";
import { useNow } from "@/lib/use-now";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";
import { ServerBanner } from "../server-banner";
import { useRuns } from "../runs";
import { questionOf, runOf } from "./of-task";
import { TaskMark } from "./task-mark";
import { isUnderWay, isWaiting, taskStatus } from "./task-status";

/** A server's tasks: their states, the server's messages, and buttons to cancel them. */
export function TasksPane({ server }: { server: ServerView }) {
  const { t, i18n } = useTranslation(["workbench", "common"]);
  const { data, error, isFetching, refetch } = useQuery(tasks(server.id));
  const now = useNow(1_000);
  if (error !== null)
    return (
      <div className="max-w-150 p-5">
        <ErrorNotice title={t("task.unread")} {...errorWords(error)}>
          <Button busy={isFetching} onClick={() => void refetch()}>
            {t("common:tryAgain")}
          </Button>
        </ErrorNotice>
      </div>
    );
  if (data === undefined) return <Skeleton />;
  if (data.length === 0)
    return <EmptyState icon={ListChecks} title={t("task.none.title")} text={t("task.none.text", { server: visibleLine(server.name) })} />;
  // Tasks that wait for the person come first, then unfinished ones, each sorted by age.
  const sorted = data.toSorted((left, right) => rankOf(left) - rankOf(right) || right.createdAt - left.createdAt);
  const waiting = data.filter((task) => isWaiting(task.status)).length;
  const running = data.filter((task) => isUnderWay(task.status)).length - waiting;
  const counts = [
    running > 0 ? t("tree.tasksActive", { count: running }) : null,
    waiting > 0 ? t("task.waiting", { count: waiting }) : null,
  ].filter((count) => count !== null);
  return (
    <section aria-labelledby="workbench-tasks" className="flex min-h-0 flex-1 flex-col overflow-y-auto">
      <div className="flex items-baseline gap-2.5 px-5 pt-4 pb-3">
        <h2 id="workbench-tasks" className="m-0 text-lg font-[620] tracking-[-.01em]">
          {t("task.title")}
        </h2>
        <span role="status" className="text-fg-3 tabular">
          {counts.length > 0 ? formatList(counts, i18n.language) : t("task.allDone")}
        </span>
      </div>
      <div className="px-5 pb-3 empty:hidden">
        <ServerBanner server={server} />
      </div>
      <ul aria-label={t("task.title")} className="m-0 list-none border-t border-line p-0">
        {sorted.map((task, index) => (
          <TaskRow key={task.taskId} server={server} task={task} now={now} first={index === 0} />
        ))}
      </ul>
    </section>
  );
}

const rankOf = (task: TaskView): number => (isWaiting(task.status) ? 0 : isUnderWay(task.status) ? 1 : 2);

function TaskRow({ server, task, now, first }: { server: ServerView; task: TaskView; now: number; first: boolean }) {
  const { t, i18n } = useTranslation(["workbench", "common"]);
  const navigate = useNavigate();
  const { busy, run } = useCommand();
  const under = isUnderWay(task.status);
  const lasted = (under ? now : task.updatedAt) - task.createdAt;
  const left = task.ttlMs === null ? null : task.createdAt + task.ttlMs - now;
  const facts = [
    under ? null : t("task.ended", { ago: formatAgo(task.updatedAt, now, i18n.language) }),
    t(under ? "task.running" : "task.took", { time: formatSpan(lasted, i18n.language) }),
    left === null || left <= 0 ? null : t(under ? "task.expires" : "task.kept", { time: formatSpan(left, i18n.language) }),
  ].filter((fact) => fact !== null);
  const poll = under && task.pollIntervalMs !== null ? t("task.poll", { time: formatMs(task.pollIntervalMs, i18n.language) }) : undefined;
  return (
    <li className="flex items-start gap-3 border-b border-line px-5 py-2.5">
      <div className="w-32 shrink-0 pt-px">
        <TaskMark status={task.status} />
      </div>
      <div className="min-w-0 flex-1">
        <button
          type="button"
          onClick={() => void navigate({ to: "/workbench", search: { server: server.id, tool: task.tool } })}
          className="max-w-full truncate rounded-xs font-[580] hover:underline"
        >
          <bdi>{visibleLine(task.tool)}</bdi>
        </button>
        {task.statusMessage !== null && task.statusMessage.trim() !== "" && (
          <blockquote
            aria-label={t("common:theirWords", { server: visibleLine(server.name) })}
            className="selectable mt-0.5 mb-0 ml-0 line-clamp-3 border-l-2 border-line-strong pl-2 wrap-any text-fg-2"
          >
            <UntrustedText text={task.statusMessage.slice(0, 1_000)} />
          </blockquote>
        )}
        <p title={poll} className="mt-0.5 mb-0 text-sm text-fg-3 tabular">
          {facts.join(" · ")}
        </p>
      </div>
      {isWaiting(task.status) && <AnswerButton server={server} task={task} primary={first} />}
      {!under && <OutcomeButton server={server} task={task} />}
      {under && (
        <Button
          icon={CircleStop}
          aria-label={t("task.cancel", { tool: visibleLine(task.tool) })}
          busy={busy}
          onClick={() => void run("cancel_task", { id: server.id, taskId: task.taskId })}
        >
          {t("common:cancel")}
        </Button>
      )}
    </li>
  );
}

/** A link to the task's question, if it has arrived. */
function AnswerButton({ server, task, primary }: { server: ServerView; task: TaskView; primary: boolean }) {
  const { t } = useTranslation("workbench");
  const navigate = useNavigate();
  const { data } = useQuery(inbox());
  const question = questionOf(server.id, task, data?.waiting ?? []);
  if (question === undefined) return null;
  return (
    <Button
      look={primary ? "primary" : "default"}
      icon={MessageSquareReply}
      aria-label={t("task.answerOf", { tool: visibleLine(task.tool) })}
      onClick={() => void navigate({ to: "/inbox", search: { id: question.id } })}
    >
      {t("task.answer")}
    </Button>
  );
}

/** A link to the task's outcome: the call in this window, or the event in Activity. */
function OutcomeButton({ server, task }: { server: ServerView; task: TaskView }) {
  const { t } = useTranslation("workbench");
  const navigate = useNavigate();
  const run = runOf(task, useRuns(server.id, { kind: "tool", name: task.tool }));
  const status = taskStatus(task.status);
  if (status !== "completed" && status !== "failed") return null;
  if (run === undefined)
    return (
      <Button
        look="ghost"
        aria-label={t(`task.activityOf.${status}`, { tool: visibleLine(task.tool) })}
        onClick={() => void navigate({ to: "/activity", search: { serverId: server.id, text: task.taskId } })}
      >
        {t(`task.inActivity.${status}`)}
      </Button>
    );
  return (
    <Button
      aria-label={t(`task.outcomeOf.${status}`, { tool: visibleLine(task.tool) })}
      onClick={() => void navigate({ to: "/workbench", search: { server: server.id, tool: task.tool, run: run.id } })}
    >
      {t(`task.outcome.${status}`)}
    </Button>
  );
}
