import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Hourglass } from "lucide-react";
import { type ReactNode, Suspense, useContext, useEffect, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Icon } from "@/components/icon";
import { Skeleton } from "@/components/skeleton";
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import { inbox } from "@/ipc/queries";
import { ANSWER_KEY, AnswerHere, enterQuestion, shownInPlace } from "@/lib/answer-place";
import { isTypedIn } from "@/lib/first-field";
import { leadIn } from "@/lib/lead-in";
import { useShortcut } from "@/lib/shortcuts";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";
import { type Run, useRuns } from "./runs";
import { showTab } from "./selection";
import type { Target } from "./target";

/** Whether a question belongs to a call, or may. A background call is only identified by its item. */
const isFor = ({ server, question, occasion }: InteractionView, run: Run): boolean =>
  occasion.requests.length > 0
    ? occasion.requests.includes(run.id)
    : server === run.server && question.kind !== "tool" && occasion.caller === null && occasion.subject === run.target.name;

/** Whether it can be answered now: it is first, and wasn't put off. */
const isReady = ({ position, putOff }: InteractionView) => position === 0 && putOff === null;

export interface Asked {
  readonly view: InteractionView;
  /** The call that waits for the answer. */
  readonly run: Run;
}

/** The questions of these calls, answerable ones first. Null if there are none. */
export function askedOf(waiting: readonly InteractionView[], runs: readonly Run[]): Asked | null {
  const all = waiting.flatMap((view) => {
    const run = runs.find((one) => one.state !== "done" && isFor(view, one));
    return run === undefined ? [] : [{ view, run }];
  });
  return all.find(({ view }) => isReady(view)) ?? all[0] ?? null;
}

/** The question that a call of this item waits for. */
export function useAsked(server: number, target: Target): Asked | null {
  const { data } = useQuery(inbox());
  const asked = askedOf(data?.waiting ?? [], useRuns(server, target));
  const id = asked !== null && isReady(asked.view) ? asked.view.id : undefined;
  // Known before the column is drawn, which is a moment later in a narrow window.
  useEffect(() => {
    if (id === undefined) return;
    shownInPlace.add(id);
    return () => void shownInPlace.delete(id);
  }, [id]);
  return asked;
}

/** After the question the focus moves to the result, unless it is elsewhere. */
function toResult(): void {
  const { activeElement: at, body } = document;
  if (at === body || at?.closest("[data-question-column]"))
    document.querySelector<HTMLElement>("main [role=tabpanel][data-state=active]")?.focus();
}

/** After an answer, shows the result. */
function leave(): void {
  flushSync(() => showTab("result"));
  toResult();
}

/**
 * Shows either the arguments or the question that their call waits for. While the person is typing, the arguments stay
 * until they turn to the question.
 */
export function QuestionColumn({ asked, children }: { asked: Asked | null; children: ReactNode }) {
  const column = useRef<HTMLDivElement>(null);
  const typedAt = useRef(0);
  const answer = useContext(AnswerHere);
  /** The question that fills the column. */
  const [taken, setTaken] = useState<number | null>(null);
  /** Whether the person wants to answer a question that isn't drawn yet. */
  const entering = useRef(false);
  const id = asked !== null && answer !== null && isReady(asked.view) ? asked.view.id : null;
  const since = asked?.run.startedAt ?? 0;
  const shown = id !== null && taken === id;

  useLayoutEffect(() => {
    if (id === null) return;
    const { activeElement } = document;
    if (column.current?.contains(activeElement) && isTypedIn(activeElement) && typedAt.current > since) return;
    setTaken(id);
  }, [id, since]);
  // The focused element is gone with the form, so only the page's keys apply, not the question's.
  useLayoutEffect(() => {
    if (!shown) return;
    const here = column.current;
    if (document.activeElement === document.body) here?.focus({ preventScroll: true });
    return () => {
      const { activeElement: at, body } = document;
      const lost = at === body || here?.contains(at) === true;
      // It was withdrawn, or answered elsewhere.
      if (lost) setTimeout(toResult);
    };
  }, [shown]);

  const enter = () => {
    entering.current = !shown;
    flushSync(() => setTaken(id));
    enterQuestion();
  };
  useShortcut(ANSWER_KEY, enter, { enabled: id !== null });
  return (
    <div
      ref={column}
      tabIndex={-1}
      data-work
      data-question-column={shown || undefined}
      onInputCapture={() => {
        typedAt.current = Date.now();
      }}
      className="flex min-h-0 min-w-0 flex-1 flex-col outline-none"
    >
      {asked !== null && <Waiting asked={asked.view} shown={shown} onEnter={id === null ? null : enter} />}
      {shown && asked !== null && answer !== null ? (
        <Suspense fallback={<Skeleton rows={3} />}>
          {answer({ view: asked.view, onNext: leave })}
          <Drawn
            onDrawn={() => {
              if (entering.current) enterQuestion();
              entering.current = false;
            }}
          />
        </Suspense>
      ) : (
        children
      )}
    </div>
  );
}

/** Reports when lazily loaded content is drawn. */
function Drawn({ onDrawn }: { onDrawn: () => void }) {
  const told = useRef(onDrawn);
  useLayoutEffect(() => told.current(), []);
  return null;
}

/** Announces a waiting call: only to screen readers if the question is below, otherwise with a link. */
function Waiting({ asked, shown, onEnter }: { asked: InteractionView; shown: boolean; onEnter: (() => void) | null }) {
  const { t } = useTranslation("inbox");
  const { busy, run } = useCommand();
  const { id, question, putOff } = asked;
  const words = (
    <>
      <b>{leadIn(t("waits.title"))}</b>
      {question.kind === "tool" ? t("waits.approve") : t(`arrived.${question.kind}`, { server: visibleLine(asked.serverName) })}
    </>
  );
  if (shown)
    return (
      <p role="status" className="sr-only">
        {words}
      </p>
    );
  return (
    <div className="shrink-0 px-4 pt-3">
      <div role="status" className="flex flex-wrap items-center gap-2 rounded-m bg-wait-soft px-3 py-2 text-wait">
        <Icon of={Hourglass} className="shrink-0" />
        <span className="min-w-40 flex-1">{words}</span>
        {putOff !== null && (
          <Button busy={busy} onClick={() => void run("bring_back_interaction", { id })}>
            {t("later.back")}
          </Button>
        )}
        {onEnter === null ? (
          <Link
            to="/inbox"
            search={{ id }}
            preload={false}
            className="shrink-0 rounded-xs font-medium text-wait underline-offset-2 hover:underline"
          >
            {t(question.kind === "tool" ? "waits.toCall" : "waits.open")}
          </Link>
        ) : (
          <Button keys={ANSWER_KEY} onClick={onEnter}>
            {t("waits.here")}
          </Button>
        )}
      </div>
    </div>
  );
}
