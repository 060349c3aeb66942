import { FileDiff, LockKeyhole, LogIn, PencilLine, Play, RefreshCw, SlidersHorizontal, Square } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { EmptyState } from "@/components/empty-state";
import { ErrorNotice } from "@/components/error-notice";
import { TheirVoice } from "@/components/their-voice";
import type { FailureCode } from "@/ipc/bindings/FailureCode";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { showOverlay } from "@/lib/overlays";
import { quotedLine } from "@/lib/untrusted";
import { failureWords } from "@/lib/failure-text";
import type { ServerActions } from "../actions";
import type { ServerTab } from "../search";
import { focusPanel } from "../sign-in/focus-panel";
import { Capabilities } from "./capabilities";
import { Connecting } from "./connecting";
import { Diagnostics } from "./diagnostics";
import { Facts } from "./facts";
import { LimitsReached } from "./limits-reached";
import { Negotiation } from "./negotiation";

/** Failures that another command or URL may mend. */
const EDITED: ReadonlySet<FailureCode> = new Set([
  "command_not_found",
  "not_executable",
  "exited",
  "timeout",
  "refused",
  "not_mcp",
  "http_status",
  "handshake",
]);

/** Why the server is in its state, what was agreed with it, and what it says about itself. */
export function Overview({ server, actions, onTab }: { server: ServerView; actions: ServerActions; onTab: (tab: ServerTab) => void }) {
  const { t, i18n } = useTranslation("servers");
  const { failure, instructions, stderrTail } = server;
  const retrying = failure !== null && (server.state === "reconnecting" || server.state === "starting");
  const signIn = server.state === "sign_in_needed" && (
    <Button
      look="primary"
      icon={LogIn}
      onClick={() => {
        onTab("sign_in");
        focusPanel();
        void actions.signIn(server.id);
      }}
    >
      {t("begin", { ns: "signIn" })}
    </Button>
  );
  return (
    <div className="flex flex-col gap-5 px-5 py-4">
      {server.state === "starting" && failure === null && <Connecting server={server} actions={actions} />}
      {failure && (
        <ErrorNotice tone={server.state === "failed" ? "bad" : "warn"} {...failureWords(failure, i18n.language)}>
          {failure.code === "secret_missing" && (
            <Button look="primary" icon={PencilLine} onClick={() => onTab("settings")}>
              {t("secret.enterNow")}
            </Button>
          )}
          {failure.code === "vault_locked" && (
            <Button look="primary" icon={LockKeyhole} onClick={() => showOverlay("vault")}>
              {t("problem.vault.open", { ns: "signIn" })}
            </Button>
          )}
          {(server.state === "failed" || retrying) && (
            <Button icon={RefreshCw} onClick={() => void actions.restart(server.id)}>
              {t(retrying ? "tryNow" : "tryAgain", { ns: "common" })}
            </Button>
          )}
          {(server.state === "failed" || retrying) && EDITED.has(failure.code) && (
            <Button icon={SlidersHorizontal} onClick={() => onTab("settings")}>
              {t(server.transport === "stdio" ? "editCommand" : "editUrl")}
            </Button>
          )}
          {retrying && (
            <Button icon={Square} onClick={() => void actions.stop(server.id)}>
              {t("menu.stop")}
            </Button>
          )}
          {signIn}
        </ErrorNotice>
      )}
      {failure === null && signIn && (
        <ErrorNotice tone="warn" title={t("failure.sign_in.title")} why={t("failure.sign_in.why")} next={t("failure.sign_in.next")}>
          {signIn}
        </ErrorNotice>
      )}
      {server.changed && (
        <ErrorNotice tone="changed" title={t("banner.text", { ns: "trust", count: 1, names: quotedLine(server.name) })}>
          <Button look="primary" icon={FileDiff} onClick={() => onTab("trust")}>
            {t("banner.look", { ns: "trust" })}
          </Button>
        </ErrorNotice>
      )}
      <Facts server={server} />
      {server.state === "stopped" && (
        <EmptyState icon={Play} title={t("stopped.title")} text={t("stopped.text")}>
          <Button look={server.changed ? "default" : "primary"} icon={Play} onClick={() => void actions.start(server.id)}>
            {t("menu.start")}
          </Button>
        </EmptyState>
      )}
      {server.steps.length > 0 && <Negotiation steps={server.steps} />}
      {server.capabilities !== null && <Capabilities text={server.capabilities} />}
      {server.limits.length > 0 && <LimitsReached limits={server.limits} />}
      {server.diagnostics.length > 0 && <Diagnostics items={server.diagnostics} />}
      {instructions !== null && instructions.trim() !== "" && (
        <section>
          <h3 className="m-0 mb-1 font-semibold">{t("instructions.title")}</h3>
          <p className="m-0 mb-1.5 text-sm text-fg-3">{t("instructions.text")}</p>
          <TheirVoice server={server.name}>{instructions}</TheirVoice>
        </section>
      )}
      {stderrTail.length > 0 && (
        <section>
          <h3 className="m-0 mb-1 font-semibold">{t("stderr.title")}</h3>
          <TheirVoice server={server.name} code>
            {stderrTail.join("\n")}
          </TheirVoice>
        </section>
      )}
    </div>
  );
}
