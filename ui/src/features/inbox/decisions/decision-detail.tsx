import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { RotateCcw, Scale } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { CodeBlock } from "@/components/code-block";
import { ErrorNotice } from "@/components/error-notice";
import { Icon } from "@/components/icon";
import { Skeleton } from "@/components/skeleton";
import { Quoted, QuotedName } from "@/components/their-voice";
import type { DecisionView } from "@/ipc/bindings/DecisionView";
import type { LogEntry } from "@/ipc/bindings/LogEntry";
import { decisionEvents } from "@/ipc/queries";
import { callerName, ruleCaller } from "@/lib/callers";
import { errorWords } from "@/lib/error-text";
import { formatMoment } from "@/lib/format";
import { wholeSentence } from "@/lib/sentence";
import { Part } from "../detail/part";
import { decidedMatter, kinds } from "../kinds/kinds";
import { useTakeBack } from "../take-back";
import { endOf, endWord } from "./decision-summary";
import { marks } from "./marks";

/** A decision: the question, what was sent, the caller, the outcome, and how to undo it. */
export function DecisionDetail({ decision }: { decision: DecisionView }) {
  const { t, i18n } = useTranslation(["inbox", "common"]);
  const { forget } = useTakeBack();
  const { id, kind, subject, serverName, caller, outcome, remembered, reason, askedAt, decidedAt } = decision;
  const matter = decidedMatter(decision);
  const end = endOf(decision);
  const { icon, colour } = marks[end];
  const asked = formatMoment(askedAt, i18n.language);
  const decided = formatMoment(decidedAt, i18n.language);
  const { data, error, isFetching, refetch } = useQuery(decisionEvents(id));
  return (
    <section aria-labelledby="decision-title" className="min-h-0 flex-1 overflow-y-auto px-5 pt-4 pb-6">
      <div className="max-w-195">
        <p className="m-0 mb-1.5 text-fg-3">{t(`kicker.${matter}`)}</p>
        <h2 id="decision-title" className="m-0 mb-1.5 text-xl font-[620] tracking-[-.015em] wrap-any [&_code]:text-[17px]">
          {subject?.trim() ? <Quoted text={subject} /> : t(`kind.${matter}`)}
        </h2>
        <dl className="m-0 mt-3 grid grid-cols-[104px_minmax(0,1fr)] items-baseline gap-x-3 gap-y-1.25">
          <Fact name={t("decisions.fact.outcome")}>
            <Icon of={icon} className={`mr-1.5 inline align-[-2px] ${colour}`} />
            <b className="inline-block first-letter:uppercase">{t(endWord(decision))}</b>
            {reason !== null && <span className="block text-fg-2">{wholeSentence(reason, i18n.language)}</span>}
          </Fact>
          {caller !== null && matter !== "terminal" && (
            <Fact name={t(kind === "tool" ? "who.caller" : "decisions.fact.during")}>
              <b>{callerName(caller, t, serverName)}</b>
            </Fact>
          )}
          <Fact name={t(`who.${kinds[matter].role}`)}>
            <b>
              <QuotedName text={serverName} />
            </b>
          </Fact>
          <Fact name={t("decisions.fact.time")}>{asked === decided ? decided : `${asked} – ${decided}`}</Fact>
          <Fact name={t("decisions.fact.remembered")}>
            {matter === "terminal" && (outcome === "accepted" || outcome === "declined") ? (
              <OfTerminal isAllowed={outcome === "accepted"} />
            ) : kind === "app" && subject !== null && (outcome === "accepted" || outcome === "declined") ? (
              <InApps app={subject} />
            ) : remembered === null ? (
              <>
                <span className="mr-2 text-fg-3">{t("decisions.by.nothing")}</span>
                <MakeRule decision={decision} />
              </>
            ) : (
              <>
                <span className="mr-2">{t(`decisions.by.${remembered.by}`)}</span>
                <Button icon={RotateCcw} onClick={() => void forget(remembered)}>
                  {t("decisions.forget")}
                </Button>
              </>
            )}
          </Fact>
        </dl>
        {error ? (
          <ErrorNotice className="mt-4.5" title={t("decisions.eventsFailed")} {...errorWords(error)}>
            <Button busy={isFetching} onClick={() => void refetch()}>
              {t("common:tryAgain")}
            </Button>
          </ErrorNotice>
        ) : data === undefined ? (
          <Skeleton rows={4} />
        ) : data.asked === null && data.sent === null ? (
          <p className="m-0 mt-4.5 text-fg-3">{t("decisions.notLogged")}</p>
        ) : (
          <>
            <Event title={t("decisions.asked")} none={t("decisions.notLogged")} entry={data.asked} />
            <Event
              title={t("decisions.sent")}
              none={t(data.asked !== null && decision.outcome !== "accepted" ? "decisions.nothingSent" : "decisions.notLogged")}
              entry={data.sent}
            />
          </>
        )}
      </div>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-fg-3">{name}</dt>
      <dd className="m-0 min-w-0 wrap-any">{children}</dd>
    </>
  );
}

/** Creates a rule from a decision. */
function MakeRule({ decision: { kind, outcome, subject, server, caller } }: { decision: DecisionView }) {
  const { t } = useTranslation("inbox");
  const navigate = useNavigate();
  if (kind !== "tool" || subject === null || server === null || (outcome !== "accepted" && outcome !== "declined")) return null;
  const make = { effect: outcome === "accepted" ? "allow" : "deny", server, tool: subject, caller: ruleCaller(caller) } as const;
  return (
    <Button icon={Scale} onClick={() => void navigate({ to: "/policies", search: { make } })}>
      {t("decisions.makeRule")}
    </Button>
  );
}

/** Apps has the remembered permission of an app, and can revoke it. */
function InApps({ app }: { app: string }) {
  const { t } = useTranslation("inbox");
  return (
    <>
      <span className="mr-2">{t("decisions.by.app")}</span>
      <Link
        to="/apps"
        search={{ id: app, open: true }}
        preload={false}
        className="rounded-xs font-medium text-accent no-underline hover:underline"
      >
        {t("decisions.toApps")}
      </Link>
    </>
  );
}

/** A decision about a terminal lasts until it closes. Settings lists the programs that are always allowed. */
function OfTerminal({ isAllowed }: { isAllowed: boolean }) {
  const { t } = useTranslation("inbox");
  if (!isAllowed) return t("decisions.by.terminal");
  return (
    <>
      <span className="mr-2">{t("decisions.by.terminalAllowed")}</span>
      <Link
        to="/settings"
        search={{ setting: "terminals" }}
        preload={false}
        className="rounded-xs font-medium text-accent no-underline hover:underline"
      >
        {t("decisions.toSettings")}
      </Link>
    </>
  );
}

/** A message in the log, with a link to it. */
function Event({ title, none, entry }: { title: string; none: string; entry: LogEntry | null }) {
  const { t } = useTranslation("inbox");
  return (
    <Part
      title={title}
      after={
        entry !== null && (
          <Link
            to="/activity"
            search={{ event: entry.id, ...(entry.serverId !== null && { serverId: entry.serverId }) }}
            preload={false}
            className="rounded-xs font-medium text-accent no-underline hover:underline"
          >
            {t("who.toActivity")}
          </Link>
        )
      }
    >
      {entry === null ? (
        <p className="m-0 text-fg-3">{none}</p>
      ) : (
        <div data-theirs>
          <CodeBlock text={entry.body} indent />
        </div>
      )}
    </Part>
  );
}
