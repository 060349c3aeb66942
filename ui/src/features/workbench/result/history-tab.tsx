import { useQueryClient } from "@tanstack/react-query";
import { Bookmark, Copy, Ellipsis, History, Play, Terminal, TextCursorInput } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "@/components/button";
import { ErrorNotice } from "@/components/error-notice";
import { Menu, type MenuItem } from "@/components/menu";
import { Skeleton } from "@/components/skeleton";
import type { LoggedCall } from "@/ipc/bindings/LoggedCall";
import { callerName } from "@/lib/callers";
import { cx } from "@/lib/cx";
import { errorWords } from "@/lib/error-text";
import { formatBytes, formatMs } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import { fillIn, formArguments, runAgain } from "../begin";
import { copyText, useCopyCommand } from "../use-copy-command";
import { keepOpened, loggedRunId, usePast, useReadLogged } from "../logged";
import type { Run } from "../runs";
import { SaveCallDialog } from "../saved/save-call-dialog";
import { showRun, showTab } from "../selection";
import type { Target } from "../target";
import { useVariables } from "../variables/variables";
import { pastTime } from "./clock-time";
import { RunMark, shownState } from "./status-line";
import { TabEmpty } from "./tab-empty";

/** The item of the tab. */
interface About {
  readonly server: { readonly id: number; readonly name: string };
  readonly target: Target;
}

/** Whether it was called without arguments. */
const isNone = (text: string): boolean => /^\s*\{\s*\}\s*$/.test(text);

/** The calls of this item: those of this window and those in the log. */
export function HistoryTab({ server, target, shownId, canRun }: About & { shownId: string | undefined; canRun: boolean }) {
  const { t } = useTranslation(["workbench", "common"]);
  const { past, error, loading, more, loadingMore } = usePast(server.id, target);
  const [saving, setSaving] = useState<string | null>(null);
  const what = target.kind === "template" ? "resource" : target.kind;
  if (loading && past.length === 0) return <Skeleton />;
  const notice = error !== null && (
    <div className="p-4">
      <ErrorNotice title={t("history.unread")} {...errorWords(error)} />
    </div>
  );
  if (past.length === 0) return notice || <TabEmpty icon={History} title={t(`history.${what}.title`)} text={t(`history.${what}.before`)} />;
  return (
    <>
      {notice}
      <ol aria-label={t(`history.${what}.label`)} className="m-0 list-none p-0">
        {past.map((item) => {
          const shared = { about: { server, target }, canRun, onSave: setSaving };
          return item.kind === "run" ? (
            <RunRow key={item.run.id} {...shared} run={item.run} shown={item.run.id === shownId} />
          ) : (
            <LoggedRow key={loggedRunId(item.call.id)} {...shared} call={item.call} shown={loggedRunId(item.call.id) === shownId} />
          );
        })}
      </ol>
      {more !== null && (
        <div className="flex justify-center p-3">
          <Button look="ghost" busy={loadingMore} onClick={more}>
            {t("history.more")}
          </Button>
        </div>
      )}
      {saving !== null && <SaveCallDialog server={server} target={target} args={saving} onClose={() => setSaving(null)} />}
    </>
  );
}

interface RowProps {
  readonly about: About;
  readonly canRun: boolean;
  readonly shown: boolean;
  readonly onSave: (args: string) => void;
}

function RunRow({ run, ...row }: RowProps & { run: Run }) {
  const { outcome } = run;
  return (
    <HistoryRow
      {...row}
      state={shownState(run)}
      took={outcome?.elapsedMs ?? null}
      bytes={outcome?.bytes ?? 0}
      at={run.startedAt}
      text={run.uri ?? run.args}
      withRun={(then) => then(run)}
      onOpen={() => undefined}
    />
  );
}

/** A logged call. Its messages are loaded when needed. */
function LoggedRow({ call, ...row }: RowProps & { call: LoggedCall }) {
  const { t } = useTranslation("workbench");
  const { server, target } = row.about;
  const readLogged = useReadLogged(server, target, t("history.gone"));
  return (
    <HistoryRow
      {...row}
      state={call.status}
      caller={call.caller}
      took={call.durationUs === null ? null : call.durationUs / 1_000}
      bytes={call.size}
      at={call.at / 1_000}
      text={target.kind === "resource" ? target.name : call.excerpt}
      withRun={(then) => readLogged(call, then)}
      onOpen={keepOpened}
    />
  );
}

/** The outcome of a finished call. */
function outcomeOf(state: ReturnType<typeof shownState>) {
  if (state === "ok") return "task.outcome.completed";
  const failed = state === "tool_error" || state === "rpc_error" || state === "timed_out" || state === "failed";
  return failed ? "task.outcome.failed" : null;
}

function HistoryRow({
  about: { server, target },
  canRun,
  shown,
  onSave,
  state,
  caller,
  took,
  bytes,
  at,
  text,
  withRun,
  onOpen,
}: RowProps & {
  state: ReturnType<typeof shownState>;
  /** The caller, if it isn't the person. */
  caller?: string | null;
  /** Milliseconds. */
  took: number | null;
  bytes: number;
  at: number;
  /** The arguments. */
  text: string;
  /** Loads the whole call and passes it on. */
  withRun: (then: (run: Run) => void) => void;
  onOpen: (run: Run) => void;
}) {
  const { t, i18n } = useTranslation(["workbench", "common"]);
  const client = useQueryClient();
  const variables = useVariables();
  const copyCommand = useCopyCommand();
  const open = () =>
    withRun((run) => {
      onOpen(run);
      showRun(server.id, target, run.id);
      showTab("result");
    });
  const again = () => withRun((run) => void runAgain(client, server, run, variables));
  const copy = () => withRun(({ args, uri }) => void copyText(uri ?? args, t("history.copied")));
  const more: MenuItem[] = [
    { label: t(target.kind === "resource" ? "result.copyAddress" : "history.copy"), icon: Copy, onSelect: copy },
    { label: t("raw.copyCommand"), icon: Terminal, onSelect: () => withRun(copyCommand) },
    "separator",
    { label: t("saved.save"), icon: Bookmark, onSelect: () => withRun((run) => onSave(formArguments(run))) },
  ];
  const outcome = outcomeOf(state);
  const edit = () => withRun((run) => fillIn({ server, target, args: formArguments(run) }, run.logged?.withheld));
  return (
    <li className={cx("group/run relative border-b border-line", shown ? "bg-selected" : "hover:bg-hover")}>
      <button
        type="button"
        onClick={open}
        aria-current={shown ? "true" : undefined}
        className="inset-focus flex w-full min-w-0 flex-col gap-0.5 px-4 py-2 text-left"
      >
        <span className="flex w-full items-center gap-2">
          <RunMark state={state} />
          {caller && <span className="min-w-0 truncate text-sm text-fg-3">{callerName(caller, t, server.name)}</span>}
          <span className="flex-1" />
          {/* The row's buttons replace it, away from the middle, where the row itself is clicked. */}
          <span className="flex shrink-0 gap-2 text-sm tabular group-focus-within/run:opacity-0 group-hover/run:opacity-0">
            {took !== null && (
              <span className="text-fg-3">
                {formatMs(took, i18n.language)}
                {bytes > 0 && ` · ${formatBytes(bytes, i18n.language)}`}
              </span>
            )}
            <span className="text-fg-2">{pastTime(at, i18n.language)}</span>
          </span>
        </span>
        <span className="flex w-full items-baseline">
          <span className={cx("min-w-0 flex-1 truncate text-fg-3", !isNone(text) && "mono")}>
            {isNone(text) ? t("request.none") : visibleLine(text.slice(0, 300))}
          </span>
          <span className="w-24 shrink-0 text-right font-medium text-accent group-hover/run:underline">{outcome && t(outcome)}</span>
        </span>
      </button>
      <span className="absolute top-1 right-3 flex opacity-0 group-focus-within/run:opacity-100 group-hover/run:opacity-100">
        <Menu items={more}>
          <IconButton small icon={Ellipsis} label={t("history.actions")} />
        </Menu>
        {target.kind !== "resource" && <IconButton small icon={TextCursorInput} label={t("history.edit")} onClick={edit} />}
        <IconButton small icon={Play} label={t(`outcome.again.${target.kind}`)} disabled={!canRun} onClick={again} />
      </span>
    </li>
  );
}
