import { BookOpen, FlaskConical, type LucideIcon, MessageSquareText, Terminal } from "lucide-react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { TheirVoice } from "@/components/their-voice";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { callerName } from "@/lib/callers";
import { useWidth } from "@/lib/columns";
import { cx } from "@/lib/cx";
import { keyLabels } from "@/lib/platform";
import { Messages } from "../prompt/messages";
import { readMessages } from "../prompt/read-messages";
import { Contents } from "../resource/contents";
import { readContents } from "../resource/read-contents";
import type { Run } from "../runs";
import { followLatest, showTab } from "../selection";
import type { Kind, Target } from "../target";
import { TaskStrip } from "../task/task-strip";
import { useCopyCommand } from "../use-copy-command";
import { AgainButton } from "./again-button";
import { BlockView } from "./blocks";
import { pastTime } from "./clock-time";
import { Diagnostics } from "./diagnostics";
import { OutcomeNotice } from "./outcome-notice";
import { ReadBackNotice } from "./read-back-notice";
import { type Block, readResult, repeatsStructured } from "./read-result";
import { RunLog } from "./run-log";
import { RequestCard, RequestLine } from "./request";
import { ResultName } from "./save-button";
import { StatusLine } from "./status-line";
import { StructuredView } from "./structured-view";
import { TabEmpty } from "./tab-empty";

/** Structured content up to this size is shown with the content, not only in its own tab. */
const SHOWN_INLINE = 400_000;

/** The width from which the request is next to the result (px). */
const BESIDE = 760;

const EMPTY: Record<Kind, LucideIcon> = { tool: FlaskConical, resource: BookOpen, template: BookOpen, prompt: MessageSquareText };

/** The state of the call and its result. */
export function ResultTab({
  run,
  latest,
  server,
  target,
  waits,
  onAgain,
}: {
  run: Run | undefined;
  latest: Run | undefined;
  server: ServerView | null;
  target: Target;
  /** Whether it waits for the person's answer. */
  waits: boolean;
  onAgain: () => void;
}) {
  const { t } = useTranslation("workbench");
  const copyCommand = useCopyCommand();
  const [frame, width] = useWidth<HTMLDivElement>("result");
  const beside = width >= BESIDE;
  if (run === undefined) {
    return (
      <TabEmpty
        icon={EMPTY[target.kind]}
        title={t(`result.none.${target.kind}.title`)}
        text={t(`result.none.${target.kind}.text`, { keys: keyLabels("mod+enter").join(" ") })}
      />
    );
  }
  return (
    <ResultName value={run.target.name}>
      <div ref={frame} className={cx("px-4 py-3.5", beside && "grid grid-cols-[minmax(220px,1fr)_minmax(0,2fr)] items-start gap-4")}>
        {beside && <RequestCard run={run} />}
        <div className="flex min-w-0 flex-col gap-4">
          {(run.logged !== undefined || (latest !== undefined && latest.id !== run.id)) && <OlderNotice run={run} latest={latest} />}
          {/* The request next to it shows the figures. */}
          <StatusLine run={run} waits={waits} measured={!beside}>
            <IconButton small icon={Terminal} label={t("raw.copyCommand")} onClick={() => copyCommand(run)} className="-my-1" />
          </StatusLine>
          {run.outcome !== null && <Diagnostics items={run.outcome.diagnostics} about="result" />}
          {!beside && <RequestLine run={run} />}
          {run.target.kind === "tool" && run.state !== "done" && <TaskStrip run={run} />}
          <OutcomeNotice run={run} server={server} onAgain={onAgain} />
          <ReadBackNotice run={run} />
          {run.outcome?.result != null && <Answer run={run} text={run.outcome.result} />}
          {run.outcome?.status === "tool_error" && (
            <div className="flex flex-wrap gap-2">
              <AgainButton run={run} server={server} onAgain={onAgain} />
            </div>
          )}
          <RunLog run={run} />
        </div>
      </div>
    </ResultName>
  );
}

/** Explains that this isn't the newest call: its time, its caller, and a button for the newest. */
function OlderNotice({ run, latest }: { run: Run; latest: Run | undefined }) {
  const { t, i18n } = useTranslation(["workbench", "common"]);
  const time = pastTime(run.startedAt, i18n.language);
  const caller = run.logged?.caller ?? null;
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 rounded-s bg-info-soft px-2.5 py-1.5 text-sm text-info">
      <span className="min-w-40 flex-1 wrap-any">
        {run.logged === undefined
          ? t("result.older", { time })
          : caller === null
            ? t("result.logged", { time })
            : t("result.loggedBy", { time, caller: callerName(caller, t, run.serverName) })}
      </span>
      {latest !== undefined && (
        <button
          type="button"
          onClick={() => followLatest(latest.server, latest.target)}
          className="shrink-0 rounded-xs font-medium hover:underline"
        >
          {t("result.toLatest")}
        </button>
      )}
    </div>
  );
}

/** The result in the form that matches the request. */
function Answer({ run, text }: { run: Run; text: string }) {
  const server = { id: run.server, name: run.serverName };
  switch (run.target.kind) {
    case "tool":
      return <ResultContent run={run} text={text} />;
    case "prompt": {
      const prompt = readMessages(text);
      return prompt === null ? <Unreadable /> : <Messages prompt={prompt} server={server} />;
    }
    case "resource":
    case "template": {
      const contents = readContents(text);
      return contents === null ? <Unreadable /> : <Contents blocks={contents} uri={run.uri} server={server} />;
    }
  }
}

function Unreadable() {
  const { t } = useTranslation("workbench");
  return (
    <p className="m-0 text-fg-2">
      {t("result.unreadable")} <ToTab tab="raw" label={t("result.toRaw")} />
    </p>
  );
}

/** The blocks of a result. An error is inside the server's frame. */
function ResultContent({ run, text }: { run: Run; text: string }) {
  const { t } = useTranslation("workbench");
  const result = readResult(text);
  if (!result.readable) return <Unreadable />;
  const inline = result.structured !== null && result.structured.length <= SHOWN_INLINE ? result.structured : null;
  const repeated = result.blocks.filter((block) => repeatsStructured(block, inline));
  const shown = result.blocks.filter((block) => !repeated.includes(block));
  const content = (
    <div className="flex min-w-0 flex-col gap-3">
      {inline !== null && <StructuredView text={inline} />}
      {shown.map((block, index) => (
        <BlockView key={index} block={block} server={{ id: run.server, name: run.serverName }} />
      ))}
    </div>
  );
  return (
    <>
      {result.isError ? (
        <TheirVoice server={run.serverName} says={t("outcome.reportsError")} tall className="border-bad!">
          {onlyText(shown) ?? content}
        </TheirVoice>
      ) : (
        content
      )}
      {repeated.length > 0 && (
        <p className="-mt-1 mb-0 text-sm text-fg-3">
          {t("result.repeated", { count: repeated.length })} <ToTab tab="raw" label={t("result.toRaw")} />
        </p>
      )}
      {inline === null && result.structured !== null && (
        <p className="m-0 text-fg-2">
          {t("result.structuredApart")} <ToTab tab="structured" label={t("result.toStructured")} />
        </p>
      )}
      {shown.length === 0 && result.structured === null && <p className="m-0 text-fg-2">{t("result.empty")}</p>}
    </>
  );
}

/** A short error text needs no card inside the frame. */
function onlyText(blocks: readonly Block[]): string | null {
  const [block] = blocks;
  return blocks.length === 1 && block?.kind === "text" && block.text.length < 4_000 ? block.text : null;
}

function ToTab({ tab, label }: { tab: "raw" | "structured"; label: string }) {
  return (
    <button type="button" onClick={() => showTab(tab)} className="rounded-xs font-medium text-accent hover:underline">
      {label}
    </button>
  );
}
