import { CircleCheck, PlugZap, CircleStop } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ErrorNotice } from "@/components/error-notice";
import { Icon } from "@/components/icon";
import type { ServerInput } from "@/ipc/bindings/ServerInput";
import type { ServerTrial } from "@/ipc/bindings/ServerTrial";
import { errorWords } from "@/lib/error-text";
import { failureWords } from "@/lib/failure-text";
import { formatMs } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";

/** Tests the connection to a server as entered, without saving it. The result stays until something changes. */
export function useTryConnection(id: number | null, server: ServerInput) {
  const { t } = useTranslation("servers");
  const { busy, error, run, clear } = useCommand({ failure: "shown", vault: true });
  const [outcome, setOutcome] = useState<{ of: string; at: number; trial: ServerTrial } | null>(null);
  const running = useRef<string | null>(null);
  const entered = JSON.stringify(server);

  const cancel = () => {
    if (running.current !== null) void run("cancel_call", { callId: running.current });
  };
  const leave = useRef(cancel);
  useEffect(() => {
    leave.current = cancel;
  });
  useEffect(() => () => leave.current(), []);

  const begin = async () => {
    const callId = crypto.randomUUID();
    running.current = callId;
    setOutcome(null);
    const trial = await run("try_server", { id, callId, server });
    running.current = null;
    if (trial) setOutcome({ of: entered, at: Date.now(), trial });
  };

  const toggle = () => {
    clear();
    if (busy) cancel();
    else void begin();
  };

  return {
    /** `short`: a one-word label, if several buttons share a line. `isReady` may show errors, and prevents the test. */
    button: (disabled = false, short = false, isReady = () => true) => (
      <Button
        icon={busy ? CircleStop : PlugZap}
        disabled={disabled && !busy}
        {...(short && { "aria-label": t(busy ? "try.cancel" : "try.begin"), title: t(busy ? "try.cancel" : "try.begin") })}
        onClick={() => (busy || isReady()) && toggle()}
      >
        {short ? t(busy ? "try.end" : "try.test") : t(busy ? "try.cancel" : "try.begin")}
      </Button>
    ),
    /** The button as a menu item. */
    item: { label: t(busy ? "try.cancel" : "try.begin"), icon: busy ? CircleStop : PlugZap, onSelect: toggle },
    /** When the test last succeeded with the current values. */
    workedAt: outcome !== null && outcome.of === entered && outcome.trial.failure === null ? outcome.at : null,
    result: error ? (
      <ErrorNotice title={t("try.failed")} answers {...errorWords(error)} />
    ) : outcome !== null && outcome.of === entered ? (
      <Outcome trial={outcome.trial} />
    ) : (
      <p role="status" className="m-0 text-fg-2 empty:hidden">
        {busy && t("try.running")}
      </p>
    ),
  };
}

function Outcome({ trial }: { trial: ServerTrial }) {
  const { t, i18n } = useTranslation("servers");
  const { failure, toolCount, connectMs, revision, stderrTail } = trial;
  if (failure !== null) {
    const words = failureWords(failure, i18n.language);
    return <ErrorNotice answers {...words} evidence={words.evidence ?? stderrTail.join("\n")} />;
  }
  const facts = [
    toolCount === null ? null : t("offers.toolCount", { count: toolCount }),
    connectMs === null ? null : formatMs(connectMs, i18n.language),
    revision === null ? null : visibleLine(revision),
  ];
  return (
    <p role="status" className="m-0 flex gap-2 rounded-m border border-line bg-ok-soft px-3 py-2">
      <Icon of={CircleCheck} className="mt-0.75 shrink-0 text-ok" />
      <span className="min-w-0 wrap-any">
        {t("try.works")} <span className="text-fg-2 tabular">{facts.filter((fact) => fact !== null).join(" · ")}</span>
      </span>
    </p>
  );
}
