import { ChevronRight, Send } from "lucide-react";
import { type ReactNode, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { CopyButton } from "@/components/code-block";
import { Icon } from "@/components/icon";
import { JsonTree } from "@/components/json-tree";
import { UntrustedText } from "@/components/their-voice";
import { JsonAction } from "@/lib/json-action";
import { formatBytes, formatMs } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import type { Run } from "../runs";
import { BlockCard } from "./block-card";
import { pastTime } from "./clock-time";
import { maskSecrets } from "./mask-secrets";

/** How much of the arguments is shown on the collapsed line. */
const EXCERPT = 300;

/** When it was sent, how long it took, and the size of the answer. */
function useTiming({ startedAt, outcome }: Run): string {
  const { t, i18n } = useTranslation("workbench");
  const parts = [t("request.at", { time: pastTime(startedAt, i18n.language) })];
  if (outcome !== null) parts.push(formatMs(outcome.elapsedMs, i18n.language));
  if (outcome !== null && outcome.bytes > 0) parts.push(t("request.received", { size: formatBytes(outcome.bytes, i18n.language) }));
  return parts.join(" · ");
}

/** The request: its arguments with secrets masked, or its URI. */
function useSent(run: Run): { readonly text: string; readonly none: boolean; readonly shown: ReactNode } {
  const { t } = useTranslation("workbench");
  const masked = useMemo(() => maskSecrets(run.args), [run.args]);
  const none = run.uri === null && /^\s*\{\s*\}\s*$/.test(run.args);
  const shown = none ? (
    <p className="m-0 px-3 py-2.5 text-fg-2">{t("request.none")}</p>
  ) : run.uri === null ? (
    <div className="px-2 py-2.5">
      {/* A masked secret is not the value. */}
      <JsonAction value={null}>
        <JsonTree text={masked} />
      </JsonAction>
    </div>
  ) : (
    <p className="mono selectable m-0 px-3 py-2.5 wrap-any">
      <UntrustedText text={run.uri} />
    </p>
  );
  return { text: run.uri ?? masked, none, shown };
}

/** The request of a call, next to its result. */
export function RequestCard({ run }: { run: Run }) {
  const { t } = useTranslation("workbench");
  const timing = useTiming(run);
  const { shown } = useSent(run);
  return (
    <section aria-label={t("request.title")} className="min-w-0">
      <BlockCard
        icon={Send}
        kind={t("request.title")}
        notes={null}
        actions={<CopyButton text={run.uri ?? run.args} label={t(run.uri === null ? "history.copy" : "result.copyAddress")} />}
      >
        <p className="m-0 border-b border-line px-3 py-1.5 text-sm text-fg-2 tabular">{timing}</p>
        {shown}
      </BlockCard>
    </section>
  );
}

/** The request on one line that expands, if there is no room next to the result. */
export function RequestLine({ run }: { run: Run }) {
  const { t } = useTranslation("workbench");
  const [open, setOpen] = useState(false);
  const timing = useTiming(run);
  const { text, none, shown } = useSent(run);
  return (
    <section aria-label={t("request.title")} className="min-w-0 overflow-hidden rounded-m border border-line bg-sunken">
      <div className="flex min-h-7.5 items-center gap-1 pr-1">
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="inset-focus flex min-h-7.5 min-w-0 flex-1 items-center gap-1.5 pl-2 text-left text-xs text-fg-3"
        >
          <Icon
            of={ChevronRight}
            size={12}
            className={open ? "shrink-0 rotate-90 transition-transform" : "shrink-0 transition-transform"}
          />
          <span className="shrink-0 font-semibold text-fg-2">{t("request.title")}</span>
          <span className={none ? "min-w-0 truncate" : "mono min-w-0 truncate"}>
            {none ? t("request.none") : visibleLine(text.slice(0, EXCERPT))}
          </span>
        </button>
        <CopyButton text={run.uri ?? run.args} label={t(run.uri === null ? "history.copy" : "result.copyAddress")} />
      </div>
      {open && (
        <div className="border-t border-line">
          <p className="m-0 border-b border-line px-3 py-1.5 text-sm text-fg-2 tabular">{timing}</p>
          {shown}
        </div>
      )}
    </section>
  );
}
