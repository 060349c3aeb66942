import { useQuery } from "@tanstack/react-query";
import { CircleCheck, CircleStop, Download, ExternalLink, RotateCcw, SquareTerminal } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { ArmedButton } from "@/components/armed-button";
import { Button } from "@/components/button";
import { CodeBlock, CopyButton } from "@/components/code-block";
import { Elapsed } from "@/components/elapsed";
import { ErrorNotice } from "@/components/error-notice";
import { Icon } from "@/components/icon";
import { LinkDialog } from "@/components/link-dialog";
import { TheirVoice } from "@/components/their-voice";
import type { InstallOffer } from "@/ipc/bindings/InstallOffer";
import type { InstallOutcome } from "@/ipc/bindings/InstallOutcome";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { IpcError } from "@/ipc/bridge";
import { installOffer } from "@/ipc/queries";
import { errorText } from "@/lib/error-text";
import { wholeSentence } from "@/lib/sentence";
import { visibleLine } from "@/lib/untrusted";
import { useArmed } from "@/lib/use-armed";
import { beginInstall, cancelInstall, forgetInstall, type InstallRun, useInstallRun } from "../install-run";
import { SameCause } from "./same-cause";

/** How many lines of output are visible while it runs. */
const LIVE_LINES = 10;

/** Fixes for a failed server and others like it: retrying all of them, and installing a missing program. */
export function Install({ server }: { server: ServerView }) {
  return (
    <>
      <SameCause server={server} />
      <MissingProgram server={server} />
    </>
  );
}

/** A missing program: the install command and its approval, then its output, then the result. */
function MissingProgram({ server }: { server: ServerView }) {
  const { data } = useQuery({ ...installOffer(server.id), enabled: server.failure?.code === "command_not_found" });
  const run = useInstallRun();
  const section = useRef<HTMLElement>(null);
  const offer = server.failure?.code === "command_not_found" ? (data ?? null) : null;
  const shown = run !== undefined && (run.server === server.id || run.package === offer?.package) ? run : null;
  /** The pressed button is gone, so the focus stays here. */
  const stay = () => section.current?.focus();
  if (shown === null && offer === null) return null;
  return (
    <section ref={section} tabIndex={-1} aria-label={shown?.package ?? offer?.package} className="outline-none">
      {shown === null ? (
        offer && <Offer server={server.id} offer={offer} taken={run?.outcome === null} onBegin={stay} />
      ) : shown.outcome === null ? (
        <Running run={shown} onCancel={stay} />
      ) : (
        <Ended run={shown} outcome={shown.outcome} onForget={stay} />
      )}
    </section>
  );
}

function Offer({ server, offer, taken, onBegin }: { server: number; offer: InstallOffer; taken: boolean; onBegin: () => void }) {
  const { t } = useTranslation("servers");
  const { package: name, page, command, terminal } = offer;
  const line = (command?.line ?? []).map(visibleLine).join(" ");
  const armed = useArmed(line, 0);
  return (
    <Frame title={t("install.title", { package: name })}>
      {command === null ? (
        <p className="m-0 text-fg-2">{t("install.none", { package: name })}</p>
      ) : (
        <>
          <p className="m-0 text-fg-2">{t("install.text", { package: name, source: command.source })}</p>
          <CodeBlock className="mt-2" language="text" text={line} copy={false} />
          {command.elevates && <p className="mt-2 mb-0 text-fg-2">{t("install.elevates")}</p>}
        </>
      )}
      {terminal !== null && (
        <>
          <p className="mt-2 mb-0 text-fg-2">{t("install.terminal")}</p>
          <CodeBlock className="mt-2" language="text" text={terminal} />
        </>
      )}
      {taken && <p className="mt-2 mb-0 text-fg-2">{t("install.taken")}</p>}
      <div className="mt-2.5 flex flex-wrap gap-2">
        {command !== null && (
          <ArmedButton
            label={t("install.submit", { package: name })}
            icon={Download}
            ready={armed && !taken}
            arming={!armed && !taken}
            hint={t("answer.arming", { ns: "inbox" })}
            onPress={() => {
              onBegin();
              void beginInstall({ server, package: name, page, line: command.line });
            }}
          />
        )}
        <Instructions page={page} />
      </div>
    </Frame>
  );
}

function Running({ run, onCancel }: { run: InstallRun; onCancel: () => void }) {
  const { t } = useTranslation("servers");
  return (
    <Frame
      title={<span role="status">{t(run.cancelling ? "install.cancelling" : "install.running", { package: run.package })}</span>}
      aside={<Elapsed since={run.startedAt} />}
    >
      <CodeBlock language="text" text={run.line.map(visibleLine).join(" ")} copy={false} />
      <Output run={run} text={run.output.trimEnd().split("\n").slice(-LIVE_LINES).join("\n")} />
      <div className="mt-2.5">
        <Button
          icon={CircleStop}
          disabled={run.cancelling}
          onClick={() => {
            onCancel();
            cancelInstall();
          }}
        >
          {t("cancel", { ns: "common" })}
        </Button>
      </div>
    </Frame>
  );
}

function Ended({ run, outcome, onForget }: { run: InstallRun; outcome: InstallOutcome | IpcError; onForget: () => void }) {
  const { t, i18n } = useTranslation("servers");
  const name = run.package;
  const path = outcome instanceof IpcError ? null : outcome.path;
  const status = outcome instanceof IpcError ? "failed" : outcome.status;
  const forget = () => {
    onForget();
    forgetInstall();
  };
  if (status === "installed")
    return (
      <div role="status" className="flex items-start gap-2 rounded-m border border-line bg-ok-soft px-3 py-2">
        <Icon of={CircleCheck} className="mt-0.75 shrink-0 text-ok" />
        <span className="min-w-0 flex-1 wrap-any">
          {t("install.installed", { package: name })} <span className="selectable text-fg-2">{path !== null && visibleLine(path)}</span>
        </span>
        <Button look="ghost" onClick={forget}>
          {t("dismiss", { ns: "common" })}
        </Button>
      </div>
    );
  const why =
    outcome instanceof IpcError
      ? errorText(outcome)
      : outcome.message !== null
        ? wholeSentence(outcome.message, i18n.language)
        : path !== null && t("install.off_path.why", { path: visibleLine(path) });
  return (
    <ErrorNotice
      tone={status === "failed" ? "bad" : "warn"}
      title={t(`install.${status}.title`, { package: name })}
      why={why || undefined}
      theirs={<Output run={run} text={run.output.trimEnd()} />}
      next={t(`install.${status}.next`)}
    >
      <Button icon={RotateCcw} onClick={forget}>
        {t("install.again")}
      </Button>
      <Instructions page={run.page} />
      {run.output !== "" && <CopyButton worded text={run.output} label={t("install.copyOutput")} />}
    </ErrorNotice>
  );
}

/** The installer's output. */
function Output({ run, text }: { run: InstallRun; text: string }) {
  const installer = run.line[0]?.split(/[/\\]/).at(-1) ?? "";
  return text === "" ? null : (
    <TheirVoice server={installer} icon={SquareTerminal} code>
      {text}
    </TheirVoice>
  );
}

function Instructions({ page }: { page: string }) {
  const { t } = useTranslation("servers");
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button icon={ExternalLink} onClick={() => setOpen(true)}>
        {t("install.page")}
      </Button>
      {open && <LinkDialog url={page} onClose={() => setOpen(false)} />}
    </>
  );
}

function Frame({ title, aside, children }: { title: ReactNode; aside?: ReactNode; children: ReactNode }) {
  return (
    <div className="rounded-m border border-line bg-surface p-3">
      <div className="mb-1.5 flex gap-2">
        <h3 className="m-0 min-w-0 flex-1 font-semibold">{title}</h3>
        {aside !== undefined && <span className="shrink-0 text-fg-3 tabular">{aside}</span>}
      </div>
      {children}
    </div>
  );
}
