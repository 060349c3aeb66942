import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { type ReactNode, useContext } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import { Said } from "@/components/said";
import { ServerMark } from "@/components/server-mark";
import { UntrustedText } from "@/components/their-voice";
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import { servers as savedServers } from "@/ipc/queries";
import { InPlace } from "@/lib/answer-place";
import { callerName } from "@/lib/callers";
import { leadIn } from "@/lib/lead-in";
import { betweenSentences } from "@/lib/sentence";
import { callOf } from "../call-of";
import type { ServerRole } from "../kinds/kind";
import { Program } from "./program";

/** Whether the reason for asking now says more than the caller and the deciding rule. */
const saysWhy = ({ question, occasion }: InteractionView): boolean =>
  question.kind !== "app" && (question.kind !== "tool" || occasion.caller === "workbench");

/** What the question means and why it is asked now, with a link to what waits for the answer. */
export function Why({
  view,
  lead,
  whyLink,
}: {
  view: InteractionView;
  lead?: ReactNode;
  /** A link after the reason for asking now. */ whyLink?: ReactNode;
}) {
  const { i18n } = useTranslation("inbox");
  const inPlace = useContext(InPlace);
  const between = betweenSentences(i18n.language);
  const why = saysWhy(view);
  if (!why && !lead && !inPlace) return null;
  return (
    <p className="m-0 wrap-any text-fg-2">
      {lead}
      {why && (
        <>
          {Boolean(lead) && between}
          <Said said={view.occasion.said} />
        </>
      )}
      {Boolean(whyLink) && (
        <>
          {between}
          {whyLink}
        </>
      )}
      {(why || inPlace) && (
        <>
          {whyLink ? <span className="text-fg-3"> · </span> : between}
          <OccasionLink view={view} />
        </>
      )}
    </p>
  );
}

/** Who calls or asks, where and with which account, on one line that expands. For an app it is all that is known. */
export function Asker({ view, role }: { view: InteractionView; role: ServerRole }) {
  const { t } = useTranslation("inbox");
  if (view.question.kind === "app") return <Facts view={view} role={role} className="mt-3" />;
  return (
    <details className="group/who mt-1.5">
      <summary className="flex min-h-6 list-none items-center gap-1.5 rounded-xs text-fg-2 hover:text-fg">
        <Icon of={ChevronRight} size={12} className="shrink-0 text-fg-3 transition-transform group-open/who:rotate-90" />
        <span className="min-w-0 truncate group-open/who:hidden">
          <Line view={view} role={role} />
        </span>
        <span className="hidden group-open/who:inline">{t("who.details")}</span>
      </summary>
      <Facts view={view} role={role} className="mt-1.5 mb-1 pl-4.5" />
    </details>
  );
}

/** Who asks, or who makes the call. */
function Caller({ view }: { view: InteractionView }) {
  const { t } = useTranslation(["inbox", "common"]);
  const { occasion, serverName } = view;
  return (
    <b>
      <bdi>{callerName(occasion.caller ?? "", t, serverName)}</bdi>
    </b>
  );
}

function ServerName({ view }: { view: InteractionView }) {
  const { data: servers = [] } = useQuery(savedServers());
  const server = servers.find(({ id }) => id === view.server);
  return (
    <>
      {server && <ServerMark server={server} small className="mr-1.5 align-text-bottom" />}
      <b>
        <bdi>
          <UntrustedText text={view.serverName} />
        </bdi>
      </b>
    </>
  );
}

const Place = ({ text }: { text: string }) => (
  <code>
    <bdi>
      <UntrustedText text={text} />
    </bdi>
  </code>
);

const Account = ({ label }: { label: string }) => (
  <bdi data-theirs>
    <UntrustedText text={label} />
  </bdi>
);

/** The facts in short. For a local program: that it runs with the person's permissions. */
function Line({ view, role }: { view: InteractionView; role: ServerRole }) {
  const { t } = useTranslation("inbox");
  const { transport, place, account, occasion, question } = view;
  return (
    <>
      {question.kind === "tool" && occasion.caller !== null && (
        <>
          {t("who.caller")} <Caller view={view} />
          <span className="text-fg-3"> · </span>
        </>
      )}
      {t(`who.${role}`)} <ServerName view={view} />
      <span className="text-fg-3"> · </span>
      {account !== null && (
        <>
          <Account label={account} />
          <span className="text-fg-3"> · </span>
        </>
      )}
      {transport === "stdio" ? (
        t("who.local")
      ) : (
        <>
          {leadIn(t("who.transport.http"))}
          <Place text={place} />
        </>
      )}
    </>
  );
}

function Facts({ view, role, className }: { view: InteractionView; role: ServerRole; className: string }) {
  const { t, i18n } = useTranslation("inbox");
  const { transport, place, account, occasion, question } = view;
  return (
    <dl className={`m-0 grid grid-cols-[88px_minmax(0,1fr)] gap-x-3 gap-y-1.25 ${className}`}>
      {question.kind === "app" && <Program path={question.program} isTerminal={question.isTerminal} />}
      {question.kind === "tool" && occasion.caller !== null && (
        <>
          <dt className="text-fg-3">{t("who.caller")}</dt>
          <dd className="m-0 min-w-0 wrap-any">
            <Caller view={view} />
          </dd>
        </>
      )}
      <dt className="text-fg-3">{t(`who.${role}`)}</dt>
      <dd className="m-0 min-w-0 wrap-any">
        <ServerName view={view} />
        <span className="text-fg-2"> · {leadIn(t(`who.transport.${transport}`))}</span>
        <wbr />
        <Place text={place} />
      </dd>
      {question.kind !== "app" && (account !== null || transport === "http") && (
        <>
          <dt className="text-fg-3">{t("who.account")}</dt>
          <dd className="m-0 min-w-0 wrap-any">
            {account === null ? (
              <span className="text-fg-3">{t("who.nobody")}</span>
            ) : (
              <b>
                <Account label={account} />
              </b>
            )}
          </dd>
        </>
      )}
      {!saysWhy(view) && (
        <>
          <dt className="text-fg-3">{t("who.why")}</dt>
          <dd className="m-0 min-w-0 wrap-any text-fg-2">
            {/* The question about an app precedes its first tool, that about a terminal its first command. */}
            {question.kind === "app" ? t(question.isTerminal ? "terminal.why" : "app.why") : <Said said={occasion.said} />}
            {betweenSentences(i18n.language)}
            <OccasionLink view={view} />
          </dd>
        </>
      )}
    </dl>
  );
}

/** A link to the call that waits for the answer. */
function OccasionLink({ view }: { view: InteractionView }) {
  const { t } = useTranslation("inbox");
  const inPlace = useContext(InPlace);
  const call = callOf(view);
  const look = "rounded-xs font-medium whitespace-nowrap text-accent no-underline hover:underline";
  if (inPlace) {
    return (
      <Link to="/inbox" search={{ id: view.id }} preload={false} className="rounded-xs text-sm text-fg-3 no-underline hover:underline">
        {t("waits.toInbox")}
      </Link>
    );
  }
  if (call !== null) {
    return (
      <Link to="/workbench" search={call} preload={false} className={look}>
        {t("who.toCall")}
      </Link>
    );
  }
  return (
    <Link to="/activity" search={{ serverId: view.server }} preload={false} className={look}>
      {t("who.toActivity")}
    </Link>
  );
}
