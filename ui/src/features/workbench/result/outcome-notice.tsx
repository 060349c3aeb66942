import { useNavigate } from "@tanstack/react-router";
import { FileDiff, KeyRound, RotateCcw, Scale, Settings } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ErrorNotice } from "@/components/error-notice";
import { TheirVoice } from "@/components/their-voice";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { indentJson } from "@/lib/json-tokens";
import { sentence, wholeSentence } from "@/lib/sentence";
import type { Run } from "../runs";
import { isConnected } from "../tree/tree-rows";
import { useReload } from "../use-reload";
import { AgainButton } from "./again-button";

/** JSON-RPC's own codes have a meaning, and a server's codes don't. */
function rpcMeaning(code: number | null) {
  switch (code) {
    case -32_700:
      return "parse";
    case -32_600:
      return "request";
    case -32_601:
      return "method";
    case -32_602:
      return "params";
    case -32_603:
      return "internal";
    case -32_002:
      return "resource";
    default:
      return "own";
  }
}

const KNOWN = [
  "closed",
  "too_large",
  "malformed",
  "refused",
  "http_status",
  "sign_in",
  "not_connected",
  "server_not_found",
  "denied",
  "definition_changed",
  "not_resent",
  "invalid_arguments",
] as const;

/** The failures after which repeating the call is possible or useful. */
const RUNS_AGAIN: ReadonlySet<(typeof KNOWN)[number] | "internal"> = new Set([
  "closed",
  "too_large",
  "malformed",
  "refused",
  "http_status",
  "not_connected",
  "internal",
]);

/** Why a call has no result: what happened, the cause, the next step, and the evidence. */
export function OutcomeNotice({ run, server, onAgain }: { run: Run; server: ServerView | null; onAgain: () => void }) {
  const { t, i18n } = useTranslation("workbench");
  const { outcome } = run;
  if (outcome === null) return null;
  const { error, status } = outcome;
  const said = error?.said ? sentence(error.said) : (error?.message ?? "");
  const evidence = [said, error?.data == null ? null : indentJson(error.data)].filter((part) => part !== null && part !== "").join("\n\n");
  const next = error?.next ? sentence(error.next) : null;
  const theirs = error?.evidence ? (
    <TheirVoice
      server={run.serverName}
      says={t(error.code === "too_large" ? "outcome.begins" : "outcome.says")}
      code={error.code === "too_large"}
      tall
    >
      {error.evidence}
    </TheirVoice>
  ) : null;
  const again = <AgainButton run={run} server={server} onAgain={onAgain} />;
  switch (status) {
    case "ok":
    case "tool_error":
      return null;
    case "cancelled":
      return <p className="m-0 text-fg-2">{t("outcome.cancelled")}</p>;
    case "rpc_error": {
      const meaning = rpcMeaning(error?.rpcCode ?? null);
      const missing = run.uri !== null && (meaning === "resource" || meaning === "params");
      return (
        <div className="flex flex-col gap-3">
          <ErrorNotice
            title={t(missing ? "outcome.rpc_error.missing" : "outcome.rpc_error.title")}
            why={
              error?.rpcCode
                ? t("outcome.rpc_error.why", { code: error.rpcCode, meaning: t(`outcome.meaning.${missing ? "resource" : meaning}`) })
                : undefined
            }
            next={
              next ??
              t(
                missing
                  ? "outcome.rpc_error.nextMissing"
                  : meaning === "params"
                    ? "outcome.rpc_error.nextParams"
                    : "outcome.rpc_error.next",
              )
            }
            evidence={error?.data == null ? null : indentJson(error.data)}
          >
            {again}
            {missing && server !== null && isConnected(server.state) && <ReloadButton server={server} />}
            <ActivityButton run={run} />
          </ErrorNotice>
          {error !== null && error.message !== "" && (
            <TheirVoice server={run.serverName} says={t("outcome.says")} tall>
              {error.message}
            </TheirVoice>
          )}
        </div>
      );
    }
    case "timed_out":
      return (
        <ErrorNotice
          title={t("outcome.timed_out.title")}
          why={t("outcome.timed_out.why")}
          next={t("outcome.timed_out.next")}
          evidence={evidence}
        >
          {again}
          <SettingsButton limit="requestTotalSeconds" />
        </ErrorNotice>
      );
    case "failed": {
      if (run.logged !== undefined) return <ErrorNotice title={t("outcome.logged")} why={said} />;
      const code = KNOWN.find((known) => known === error?.code) ?? "internal";
      return (
        <div className="flex flex-col gap-3">
          <ErrorNotice
            title={code === "too_large" && error?.said ? wholeSentence(error.said, i18n.language) : t(`outcome.failed.${code}.title`)}
            why={t(`outcome.failed.${code}.why`)}
            next={next ?? t(`outcome.failed.${code}.next`)}
            evidence={code === "too_large" ? null : evidence}
          >
            {RUNS_AGAIN.has(code) && again}
            {code === "too_large" && <SettingsButton limit="maxMessageMiB" />}
            {code === "denied" && <PoliciesButton />}
            {server !== null && code === "sign_in" && <ServerButton server={server} tab="sign_in" />}
            {server !== null && (code === "definition_changed" || code === "not_resent") && (
              <ServerButton server={server} tab="trust" review={run.target.kind === "tool" ? run.target.name : true} />
            )}
            <ActivityButton run={run} />
          </ErrorNotice>
          {theirs}
        </div>
      );
    }
  }
}

function ActivityButton({ run }: { run: Run }) {
  const { t } = useTranslation("workbench");
  const navigate = useNavigate();
  return (
    <Button look="ghost" onClick={() => void navigate({ to: "/activity", search: { serverId: run.server } })}>
      {t("outcome.activity")}
    </Button>
  );
}

function SettingsButton({ limit }: { limit: "requestTotalSeconds" | "maxMessageMiB" }) {
  const { t } = useTranslation("workbench");
  const navigate = useNavigate();
  return (
    <Button look="ghost" icon={Settings} onClick={() => void navigate({ to: "/settings", search: { setting: limit } })}>
      {t("outcome.settings")}
    </Button>
  );
}

function PoliciesButton() {
  const { t } = useTranslation("workbench");
  const navigate = useNavigate();
  return (
    <Button icon={Scale} onClick={() => void navigate({ to: "/policies" })}>
      {t("outcome.to.policies")}
    </Button>
  );
}

/** Opens the server's tab with the next step. */
function ServerButton({ server, tab, review }: { server: ServerView; tab: "sign_in" | "trust"; review?: true | string }) {
  const { t } = useTranslation("workbench");
  const navigate = useNavigate();
  return (
    <Button
      icon={tab === "trust" ? FileDiff : KeyRound}
      onClick={() => void navigate({ to: "/servers", search: { id: server.id, tab, review } })}
    >
      {t(`outcome.to.${tab}`)}
    </Button>
  );
}

/** Reloads the server's offers, because the item may have been renamed. */
function ReloadButton({ server }: { server: ServerView }) {
  const { t } = useTranslation("workbench");
  const { busy, reload } = useReload(server.id, "list_resources");
  return (
    <Button look="ghost" icon={RotateCcw} busy={busy} onClick={reload}>
      {t("outcome.reload")}
    </Button>
  );
}
