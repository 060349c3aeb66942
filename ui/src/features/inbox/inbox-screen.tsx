import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Inbox } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { EmptyState } from "@/components/empty-state";
import { ErrorNotice } from "@/components/error-notice";
import { Page } from "@/components/page";
import { Skeleton } from "@/components/skeleton";
import { Split } from "@/components/split";
import { ToReview } from "@/components/to-review";
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import { inbox } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { useShortcut } from "@/lib/shortcuts";
import { useMedia } from "@/lib/use-media";
import { useWaitingCount } from "@/lib/waiting";
import { BackToCall } from "./back-to-call";
import { goesOn } from "./call-of";
import { Detail } from "./kinds/kinds";
import { InboxTabs } from "./inbox-tabs";
import { NothingWaits } from "./nothing-waits";
import { Queue } from "./queue/queue";
import { Silenced } from "./queue/silenced";
import { VaultRow } from "./queue/vault-row";

const route = getRouteApi("/inbox");

/** The id of the heading. */
const TITLE = "question-title";

/** Whether the focus is in the question, or nowhere because its button was disabled. */
function hasNoFocusElsewhere(): boolean {
  const at = document.activeElement;
  const title = document.getElementById(TITLE);
  return at === null || at === document.body || title?.closest("section")?.contains(at) === true;
}

/** Servers' questions, one at a time. If nothing waits, the last decisions. */
export function InboxScreen() {
  const { t } = useTranslation("inbox");
  const { id } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(inbox());
  /** The current question in its last state. It stays visible if its asker withdraws it. */
  const [held, setHeld] = useState<InteractionView | null>(null);
  /** The questions that were answered here, because the list may still have them for a moment. */
  const [answered, setAnswered] = useState<ReadonlySet<number>>(new Set());
  const wide = useMedia("(min-width: 1100px)");
  /** The last answered question, if a call in the Workbench waited for it. */
  const [back, setBack] = useState<InteractionView | null>(null);

  const waiting = query.data?.waiting ?? [];
  const count = useWaitingCount();
  const unanswered = waiting.filter((item) => !answered.has(item.id));
  const silenced = query.data?.silenced ?? [];
  const answerable = unanswered.filter((item) => item.position === 0 && item.putOff === null);
  const current = unanswered.find((item) => item.id === id);
  if (current && current !== held) setHeld(current);
  const shown = current ?? (held !== null && held.id === id ? held : undefined);
  const first = answerable[0]?.id;

  /** An answer that arrives after the person left doesn't bring them back. */
  const here = useRef(true);
  useEffect(() => {
    here.current = true;
    return () => {
      here.current = false;
    };
  }, []);
  /** The current question. */
  const looking = useRef(id);
  useEffect(() => {
    looking.current = id;
  }, [id]);
  const choose = (next: number | undefined) =>
    here.current && void navigate({ search: next === undefined ? {} : { id: next }, replace: true });
  /** Whether the focus follows to the next question, because an answer removed the focused element. */
  const followed = useRef(false);
  useEffect(() => {
    const title = document.getElementById(TITLE);
    if (!followed.current || title === null) return;
    followed.current = false;
    // Only to the heading, and never to a button that the person may be about to press.
    title.focus();
  });
  const known = shown !== undefined;
  useEffect(() => {
    if (!known && first !== undefined) void navigate({ search: { id: first }, replace: true });
  }, [known, first, navigate]);

  const walked = [...answerable, ...unanswered.filter((item) => item.putOff !== null)];
  const step = (by: number) => {
    const at = walked.findIndex((item) => item.id === id);
    const next = walked[at === -1 ? 0 : Math.min(walked.length - 1, Math.max(0, at + by))];
    if (next) choose(next.id);
  };
  /** After an answer: continues with the question that has waited longest. */
  const next = (done: InteractionView) => {
    setAnswered((before) => new Set(before).add(done.id));
    setBack(done);
    goOn(done.id);
  };
  /** Continues, unless the person has already opened another question. */
  const goOn = (done: number) => {
    if (looking.current !== done) return;
    setHeld(null);
    followed.current = hasNoFocusElsewhere();
    choose(answerable.find((item) => item.id !== done)?.id);
  };
  useShortcut("j", () => step(1), { enabled: walked.length > 0, repeats: true });
  useShortcut("k", () => step(-1), { enabled: walked.length > 0, repeats: true });

  return (
    <Page
      title={t("place")}
      sub={count > 0 && t("waiting", { count })}
      actions={
        <>
          <ToReview />
          <InboxTabs />
        </>
      }
    >
      {back !== null && !goesOn(back, unanswered) && <BackToCall view={back} />}
      {query.isPending ? (
        <Skeleton rows={6} />
      ) : query.error ? (
        <div className="max-w-150 p-5">
          <ErrorNotice title={t("listFailed")} {...errorWords(query.error)} next={t("failedNext")}>
            <Button busy={query.isFetching} onClick={() => void query.refetch()}>
              {t("tryAgain", { ns: "common" })}
            </Button>
          </ErrorNotice>
        </div>
      ) : waiting.length === 0 && shown === undefined ? (
        <NothingWaits silenced={silenced} />
      ) : (
        <Split
          id="inbox"
          fixed="start"
          initial={wide ? 304 : 248}
          min={220}
          max={420}
          label={t("queue.resize")}
          start={
            <div className="min-h-0 flex-1 overflow-y-auto">
              <VaultRow />
              <Queue waiting={waiting} chosen={id ?? null} onChoose={choose} />
              <Silenced servers={silenced} />
            </div>
          }
          end={
            shown ? (
              <Detail key={shown.id} view={shown} gone={current === undefined} onNext={() => next(shown)} onPutOff={() => goOn(shown.id)} />
            ) : (
              <EmptyState icon={Inbox} title={t("empty.title")} text={t("later.onlyLater")} />
            )
          }
        />
      )}
    </Page>
  );
}
