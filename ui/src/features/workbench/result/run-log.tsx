import { useTranslation } from "react-i18next";
import { UntrustedText } from "@/components/their-voice";
import { CopyButton } from "@/components/code-block";
import { cx } from "@/lib/cx";
import { formatCount } from "@/lib/format";
import { stringAt } from "@/lib/json-scan";
import { indentJson } from "@/lib/json-tokens";
import { visibleLine } from "@/lib/untrusted";
import { type LogLine, shortened } from "../run-logs";
import type { Run } from "../runs";

const colours: Record<string, string> = {
  debug: "text-fg-3",
  info: "text-info",
  notice: "text-info",
  warning: "text-warn",
  error: "text-bad",
  critical: "text-bad",
  alert: "text-bad",
  emergency: "text-bad",
};
/** How many lines are drawn at first. */
const SHOWN = 300;
const LONGEST = 4_000;

/** The text of a log line: text as text, anything else as JSON. */
function said(line: LogLine): string {
  const text = stringAt(line.data);
  return shortened(text ?? (line.data.length > 200 ? indentJson(line.data) : line.data), LONGEST);
}

/** The server's log messages during the call. They belong to the connection, so every running call gets them. */
export function RunLog({ run }: { run: Run }) {
  const { t, i18n } = useTranslation("workbench");
  if (run.log.length + run.logDropped === 0) return null;
  const lines = run.log.slice(-SHOWN);
  const hidden = run.log.length - lines.length + run.logDropped;
  const everything = run.log.map((line) => `${line.level}\t${line.logger ?? ""}\t${said(line)}`).join("\n");
  return (
    <section aria-labelledby="run-log">
      <div className="flex min-h-6 items-center gap-2">
        <h2 id="run-log" className="m-0 text-md font-semibold">
          {t("log.title")}
        </h2>
        <span className="text-sm text-fg-3 tabular">{formatCount(run.log.length + run.logDropped, i18n.language)}</span>
        <span className="flex-1" />
        {run.log.length > 0 && <CopyButton text={everything} label={t("log.copy")} />}
      </div>
      {hidden > 0 && (
        <p className="mt-0 mb-1 text-sm text-fg-3">{t("log.hidden", { count: hidden, shown: formatCount(hidden, i18n.language) })}</p>
      )}
      <ol
        aria-label={t("log.title")}
        className="mono selectable m-0 grid list-none grid-cols-[auto_auto_minmax(0,1fr)] gap-x-3 p-0 leading-[19px]"
      >
        {lines.map((line, index) => (
          <li key={index} className="contents">
            <span className="text-right text-fg-3 tabular">{(line.at / 1000).toFixed(2)}</span>
            <span className={cx("max-w-24 truncate", colours[line.level] ?? "text-fg-3")}>{visibleLine(line.level)}</span>
            <span className="min-w-0 whitespace-pre-wrap wrap-any text-fg-2">
              {line.logger !== null && (
                <span className="text-fg-3">
                  <UntrustedText text={line.logger.slice(0, 200)} />
                  {"  "}
                </span>
              )}
              <UntrustedText text={said(line)} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
