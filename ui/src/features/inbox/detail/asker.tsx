import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useContext } from "react";
import { useTranslation } from "react-i18next";
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
import { serverRoles } from "../kinds";
import { Program } from "./program";

/** Who calls or asks, where that is, as whom, and why now. Whether a call may run is Mooring's question, not the server's. */
export function Asker({ view, whyLink }: { view: InteractionView; /** Leads on from why now. */ whyLink?: ReactNode }) {
  const { t, i18n } = useTranslation(["inbox", "common"]);
  const { serverName, transport, place, account, occasion, question } = view;
  const { data: servers = [] } = useQuery(savedServers());
  const server = servers.find(({ id }) => id === view.server);
  return (
    <dl className="m-0 mt-3 grid grid-cols-[88px_minmax(0,1fr)] gap-x-3 gap-y-1.25">
      {question.kind === "app" && <Program path={question.program} />}
      {question.kind === "tool" && occasion.caller !== null && (
        <>
          <dt className="text-fg-3">{t("who.caller")}</dt>
          <dd className="m-0 min-w-0 wrap-any">
            <b>{callerName(occasion.caller, t)}</b>
          </dd>
        </>
      )}
      <dt className="text-fg-3">{t(`who.${serverRoles[question.kind]}`)}</dt>
      <dd className="m-0 min-w-0 wrap-any">
        {server && <ServerMark server={server} small className="mr-1.5 align-text-bottom" />}
        <b>
          <bdi>
            <UntrustedText text={serverName} />
          </bdi>
        </b>
        <span className="text-fg-2"> · {leadIn(t(`who.transport.${transport}`))}</span>
        <wbr />
        <code>
          <bdi>
            <UntrustedText text={place} />
          </bdi>
        </code>
      </dd>
      {question.kind !== "app" && (account !== null || transport === "http") && (
        <>
          <dt className="text-fg-3">{t("who.account")}</dt>
          <dd className="m-0 min-w-0 wrap-any">
            {account === null ? (
              <span className="text-fg-3">{t("who.nobody")}</span>
            ) : (
              <b>
                <bdi data-theirs>
                  <UntrustedText text={account} />
                </bdi>
              </b>
            )}
          </dd>
        </>
      )}
      <dt className="text-fg-3">{t("who.why")}</dt>
      <dd className="m-0 min-w-0 wrap-any text-fg-2">
        {/* An app is asked about before any of its tools. */}
        {question.kind === "app" ? t("app.why") : <Said said={occasion.said} />}
        {betweenSentences(i18n.language)}
        {Boolean(whyLink) && (
          <>
            {whyLink}
            <span className="text-fg-3"> · </span>
          </>
        )}
        <OccasionLink view={view} />
      </dd>
    </dl>
  );
}

/** To the call that waits for the answer. */
function OccasionLink({ view }: { view: InteractionView }) {
  const { t } = useTranslation("inbox");
  const inPlace = useContext(InPlace);
  const call = callOf(view);
  const look = "rounded-xs font-medium whitespace-nowrap text-accent no-underline hover:underline";
  if (inPlace) {
    return (
      <Link to="/inbox" search={{ id: view.id }} preload={false} className={look}>
        {t("waits.open")}
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
