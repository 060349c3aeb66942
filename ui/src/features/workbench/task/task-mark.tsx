import { CircleCheck, CircleHelp, CircleSlash, CircleX, Hourglass, LoaderCircle, type LucideIcon } from "lucide-react";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import { visibleLine } from "@/lib/untrusted";
import { type TaskStatus, taskStatus } from "./task-status";

const marks: Record<TaskStatus, { icon: LucideIcon; colour: string; turns?: boolean }> = {
  working: { icon: LoaderCircle, colour: "text-info", turns: true },
  input_required: { icon: Hourglass, colour: "text-wait" },
  completed: { icon: CircleCheck, colour: "text-ok" },
  failed: { icon: CircleX, colour: "text-bad" },
  cancelled: { icon: CircleSlash, colour: "text-fg-2" },
  other: { icon: CircleHelp, colour: "text-fg-2" },
};

/** The state of a task: icon, word and colour. */
export function TaskMark({ status: word }: { status: string }) {
  const { t } = useTranslation("workbench");
  const status = taskStatus(word);
  const { icon: Shape, colour, turns } = marks[status];
  return (
    <span data-task-status={status} className={cx("inline-flex min-w-0 items-center gap-1.5 font-medium whitespace-nowrap", colour)}>
      <Shape aria-hidden size={14} className={cx("shrink-0", turns && "animate-spin")} />
      <span className="min-w-0 truncate">{status === "other" ? visibleLine(word).slice(0, 40) : t(`task.status.${status}`)}</span>
    </span>
  );
}
