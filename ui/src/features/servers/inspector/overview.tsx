import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ChevronDown, Copy, LockKeyhole, LogIn, Moon, PencilLine, Play, RefreshCw, Settings, SlidersHorizontal } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { EmptyState } from "@/components/empty-state";
import { ErrorNotice } from "@/components/error-notice";
import { Fold } from "@/components/fold";
import { Icon } from "@/components/icon";
import { Menu } from "@/components/menu";
import { TheirVoice, UntrustedText } from "@/components/their-voice";
import { ServerBundle } from "@/features/bundles/server-bundle";
import type { FailureCode } from "@/ipc/bindings/FailureCode";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { installOffer } from "@/ipc/queries";
import { showOverlay } from "@/lib/overlays";
import { shownAddressOf } from "@/lib/server-address";
import { failureWords } from "@/lib/failure-text";
import { formatList } from "@/lib/format";
import { shownState } from "@/lib/server-state";
import { toast } from "@/lib/toasts";
import { quotedLine } from "@/lib/untrusted";
import { answers, type ServerActions } from "../actions";
import { ServerCatalog } from "../catalog/server-catalog";
import type { ServerTab } from "../search";
import { focusFirstField, focusMissingValue, focusPanel } from "../focus";
import { draftOf, inputOf } from "../form/draft";
import { useTryConnection } from "../form/try-connection";
import { About } from "./about";
import { Access } from "./access";
import { Capabilities } from "./capabilities";
import { ChangedCard } from "./changed-card";
import { Connecting } from "./connecting";
import { Diagnostics } from "./diagnostics";
import { Facts } from "./facts";
import { ForApps } from "./for-apps";
import { Install } from "./install";
import { Instances } from "./instances";
import { LastCalls } from "./last-calls";
import { LimitsReached } from "./limits-reached";
import { Load } from "./load";
import { Negotiation } from "./negotiation";
import { reportOf } from "./report";
import { ReviewButton } from "./review-button";
import { WaitingQuestions } from "./waiting-questions";

/** Failures that another command or URL may fix. */
const EDITED: ReadonlySet<FailureCode> = new Set([
  "command_not_found",
  "not_executable",
  "exited",
  "refused",
  "not_mcp",
  "http_status",
  "handshake",
]);

/** The settings of the limits that a connection exceeded. */
const LIMITS: { readonly [C in FailureCode]?: "startTimeoutSeconds" | "maxMessageMiB" } = {
  timeout: "startTimeoutSeconds",
  too_large: "maxMessageMiB",
};

/** Failures with their own button for the next step, without which retrying would fail again. */
const MENDED_FIRST: ReadonlySet<FailureCode> = new Set(["secret_missing", "definition_changed", "vault_locked", "sign_in"]);

/** What needs the person comes first, then the description, then what the server may use, and last the connection. */
export function Overview({ server, actions, onTab }: { server: ServerView; actions: ServerActions; onTab: (tab: ServerTab) => void }) {
  const { t, i18n } = useTranslation("servers");
  const { failure, stderrTail } = server;
  const limit = failure ? LIMITS[failure.code] : undefined;
  const navigate = useNavigate();
  /** Retrying fails until the program is installed or another one is set. */
  const lacks = failure?.code === "command_not_found";
  const { data: offer } = useQuery({ ...installOffer(server.id), enabled: lacks });
  const installs = lacks && offer?.command != null;
  const retrying = failure !== null && (server.state === "reconnecting" || server.state === "starting");
  const trial = useTryConnection(server.id, inputOf(draftOf(server), new Set()));
  // A later failure counts more.
  const works = trial.workedAt !== null && server.since <= trial.workedAt;
  const copy = async () => {
    const words = failure && failureWords(failure, i18n.language);
    await navigator.clipboard.writeText(reportOf(server, words ? [words.title, words.why, words.next, words.evidence] : []));
    toast({ text: t("menu.copied") });
  };
  const changed = server.changed && failure?.code !== "definition_changed";
  const missing = server.secrets.filter(({ entered }) => !entered).map(({ name }) => quotedLine(name));
  /** Only entering the missing value helps. */
  const awaitsValue = failure?.code === "secret_missing" && missing.length > 0;
  const fails = (server.state === "failed" || retrying) && !awaitsValue;
  const editFirst = () => {
    onTab("settings");
    focusFirstField();
  };
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
      {t("begin", { ns: "sign-in" })}
    </Button>
  );
  return (
    <div className="flex flex-col gap-5 px-5 py-4">
      <WaitingQuestions server={server} />
      {server.state === "starting" && failure === null && <Connecting server={server} />}
      {failure && !works && (
        <ErrorNotice
          tone={shownState(server) === "failed" ? "bad" : "warn"}
          {...failureWords(failure, i18n.language)}
          // The connection works, and only the failed part is missing.
          {...(server.state === "degraded" && { title: t("inspector.degraded") })}
          // Its title is the next step, and its button takes it.
          {...(failure.code === "sign_in" && signIn && { why: null, next: null })}
          {...(awaitsValue && {
            title: t("secret.isMissing", { count: missing.length, names: formatList(missing, i18n.language) }),
            why: t("secret.startsThen", { count: missing.length }),
            next: null,
          })}
          theirs={
            fails &&
            server.transport === "http" && (
              <p className="selectable mono mt-1 mb-0 wrap-any">
                <UntrustedText text={shownAddressOf(server)} />
              </p>
            )
          }
        >
          {failure.code === "secret_missing" && (
            <Button
              look="primary"
              icon={PencilLine}
              onClick={() => {
                onTab("settings");
                focusMissingValue();
              }}
            >
              {t("secret.enterNow")}
            </Button>
          )}
          {failure.code === "definition_changed" && <ReviewButton server={server.id} />}
          {limit !== undefined && (
            <Button icon={Settings} onClick={() => void navigate({ to: "/settings", search: { setting: limit } })}>
              {t("failure.openLimit")}
            </Button>
          )}
          {failure.code === "certificate" && (
            <Button icon={Settings} onClick={() => void navigate({ to: "/settings", search: { setting: "certificates" } })}>
              {t("failure.openNetwork")}
            </Button>
          )}
          {failure.code === "vault_locked" && (
            <Button look="primary" icon={LockKeyhole} onClick={() => showOverlay("vault")}>
              {t("problem.vault.open", { ns: "sign-in" })}
            </Button>
          )}
          {fails && (
            <Button
              look={MENDED_FIRST.has(failure.code) || lacks ? "default" : "primary"}
              icon={RefreshCw}
              onClick={() => void actions.restart(server.id)}
            >
              {t(retrying ? "tryNow" : "tryAgain", { ns: "common" })}
            </Button>
          )}
          {fails && EDITED.has(failure.code) && (
            <Button look={lacks && !installs ? "primary" : "default"} icon={SlidersHorizontal} onClick={editFirst}>
              {t(server.transport === "stdio" ? "editCommand" : "editUrl")}
            </Button>
          )}
          {signIn}
          {signIn && (
            <Button icon={SlidersHorizontal} onClick={editFirst}>
              {t("useHeader")}
            </Button>
          )}
          {fails && (
            <Menu align="start" items={[trial.item, { label: t("report.copy"), icon: Copy, onSelect: () => void copy() }]}>
              <Button>
                {t("moreWays")}
                <Icon of={ChevronDown} />
              </Button>
            </Menu>
          )}
        </ErrorNotice>
      )}
      {failure !== null && (works || trial.workedAt === null) && trial.result}
      {failure !== null && works && (
        <Button look="primary" icon={Play} className="self-start" onClick={() => void actions.restart(server.id)}>
          {t("menu.start")}
        </Button>
      )}
      <Install server={server} />
      {failure === null && signIn && (
        <ErrorNotice tone="warn" title={t("failure.sign_in.title")}>
          {signIn}
        </ErrorNotice>
      )}
      {changed && <ChangedCard server={server} />}
      {answers(server) && !changed && (
        <ForApps
          server={server}
          onReview={() => {
            onTab("trust");
            focusPanel();
          }}
        />
      )}
      {server.state === "stopped" && (
        <EmptyState icon={Play} title={t("stopped.title")} text={t("stopped.text")}>
          <Button look={server.changed ? "default" : "primary"} icon={Play} onClick={() => void actions.start(server.id)}>
            {t("menu.start")}
          </Button>
        </EmptyState>
      )}
      {server.state === "asleep" && (
        <EmptyState icon={Moon} title={t("asleep.title")} text={t("asleep.text")}>
          <Button icon={Play} onClick={() => void actions.start(server.id)}>
            {t("menu.startNow")}
          </Button>
        </EmptyState>
      )}
      <About server={server} />
      <ServerBundle server={server} />
      <ServerCatalog id={server.id} />
      <Access server={server} />
      <LastCalls server={server} />
      <Load server={server} />
      <Instances server={server} />
      {server.diagnostics.length > 0 && <Diagnostics items={server.diagnostics} />}
      {server.limits.length > 0 && <LimitsReached limits={server.limits} />}
      <Fold title={t("details.title")} open={failure !== null || server.state === "stopped" || server.state === "asleep"}>
        <div className="flex flex-col gap-5">
          <Facts server={server} />
          {server.steps.length > 0 && <Negotiation steps={server.steps} />}
          {server.capabilities !== null && <Capabilities text={server.capabilities} />}
          {stderrTail.length > 0 && <Stderr server={server.name} lines={stderrTail} />}
        </div>
      </Fold>
    </div>
  );
}

function Stderr({ server, lines }: { server: string; lines: readonly string[] }) {
  const { t } = useTranslation("servers");
  return (
    <section>
      <h3 className="m-0 mb-1 font-semibold">{t("stderr.title")}</h3>
      <TheirVoice server={server} code>
        {lines.join("\n")}
      </TheirVoice>
    </section>
  );
}
