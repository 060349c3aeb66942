import { useNavigate } from "@tanstack/react-router";
import { Activity, FileCode2, Terminal } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { CodeBlock, CopyButton, JsonText } from "@/components/code-block";
import { SegmentedControl } from "@/components/toggles";
import { formatBytes } from "@/lib/format";
import { indentJson } from "@/lib/json-tokens";
import type { Run } from "../runs";
import { useCopyCommand } from "../use-copy-command";
import { ReadBackNotice } from "./read-back-notice";
import { SaveButton } from "./save-button";
import { TabEmpty } from "./tab-empty";
import { VirtualText } from "./virtual-text";

/** Up to this size the text is highlighted and drawn completely. */
const WHOLE = 48_000;

/** The exact text that was sent and received. */
export function RawTab({ run }: { run: Run | undefined }) {
  const { t, i18n } = useTranslation("workbench");
  const [laidOut, setLaidOut] = useState(false);
  const navigate = useNavigate();
  const copyCommand = useCopyCommand();
  if (run === undefined) return <TabEmpty icon={FileCode2} title={t("raw.title")} text={t("raw.before")} />;
  const sent = run.uri === null ? run.args : JSON.stringify({ uri: run.uri });
  const text = run.outcome?.result ?? null;
  const shown = text === null ? "" : laidOut ? indentJson(text) : text;
  return (
    <div className="flex h-full min-h-0 flex-col gap-4 px-4 py-3.5 @min-[680px]:flex-row">
      <div className="flex min-h-0 min-w-0 flex-col gap-2 @min-[680px]:flex-1">
        <div className="flex min-h-7 items-center gap-1">
          <h2 className="m-0 text-md font-semibold">{t("raw.sent")}</h2>
          <span className="flex-1" />
          <IconButton small icon={Terminal} label={t("raw.copyCommand")} onClick={() => copyCommand(run)} />
          <IconButton
            small
            icon={Activity}
            label={t("outcome.activity")}
            onClick={() => void navigate({ to: "/activity", search: { serverId: run.server } })}
          />
          <CopyButton text={sent} label={t("history.copy")} />
        </div>
        {sent.length <= WHOLE ? (
          <CodeBlock text={sent} copy={false} className="max-h-40 shrink-0 overflow-auto @min-[680px]:max-h-full" />
        ) : (
          <VirtualText
            text={sent}
            label={t("raw.sent")}
            mono
            className="h-40 shrink-0 rounded-m border border-line bg-sunken py-2 @min-[680px]:h-auto @min-[680px]:flex-1"
          />
        )}
      </div>
      <div className="flex min-h-0 min-w-0 flex-1 flex-col gap-2">
        <div className="flex min-h-7 items-center gap-2">
          <h2 className="m-0 text-md font-semibold">{t("raw.received")}</h2>
          {run.outcome !== null && text !== null && (
            <span className="text-sm text-fg-3 tabular">{formatBytes(run.outcome.bytes, i18n.language)}</span>
          )}
          <span className="flex-1" />
          {text !== null && (
            <>
              <SegmentedControl
                label={t("result.view")}
                value={laidOut ? "laidOut" : "exact"}
                options={[
                  { value: "exact", label: t("raw.exact") },
                  { value: "laidOut", label: t("raw.laidOut") },
                ]}
                onChange={(next) => setLaidOut(next === "laidOut")}
                className="h-6.5! text-sm"
              />
              <CopyButton text={text} label={t("raw.copy")} />
              <SaveButton content={() => ({ text })} extension="json" name={run.target.name} />
            </>
          )}
        </div>
        <ReadBackNotice run={run} />
        {text === null ? (
          !run.forgotten && <p className="m-0 text-fg-2">{t(run.outcome === null ? "raw.running" : "raw.nothing")}</p>
        ) : shown.length <= WHOLE ? (
          <pre
            // It scrolls, so it must be reachable with the keyboard.
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
            tabIndex={0}
            className="selectable inset-focus m-0 min-h-24 flex-1 overflow-auto rounded-m border border-line bg-sunken px-3 py-2.5 leading-[1.55] whitespace-pre-wrap wrap-any"
          >
            <JsonText text={shown} />
          </pre>
        ) : (
          <VirtualText
            text={shown}
            label={t("raw.received")}
            mono
            className="min-h-24 flex-1 rounded-m border border-line bg-sunken py-2"
          />
        )}
      </div>
    </div>
  );
}
