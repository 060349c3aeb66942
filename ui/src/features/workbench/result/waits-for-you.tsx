import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Hourglass } from "lucide-react";
import { Suspense, useContext, useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Icon } from "@/components/icon";
import { Skeleton } from "@/components/skeleton";
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import { inbox } from "@/ipc/queries";
import { AnswerHere, QUESTION_IN_PLACE, shownInPlace } from "@/lib/answer-place";
import { leadIn } from "@/lib/lead-in";
import { useShortcut } from "@/lib/shortcuts";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";
import type { Run } from "../runs";

/** Whether a question belongs to a call, or may. A call that goes on in the background is only known by what it calls. */
const isFor = ({ server, question, occasion }: InteractionView, run: Run): boolean =>
  occasion.requests.length > 0
    ? occasion.requests.includes(run.id)
    : server === run.server && question.kind !== "tool" && occasion.caller === null && occasion.subject === run.target.name;

/** While a call goes on: that it waits for an answer of the person, and the question itself. */
export function WaitsForYou({ run }: { run: Run }) {
  const { data } = useQuery(inbox());
  const waiting = run.state === "done" ? [] : (data?.waiting.filter((item) => isFor(item, run)) ?? []);
  const asked = waiting.find((item) => item.position === 0 && item.putOff === null) ?? waiting[0];
  return asked === undefined ? null : <Waiting key={asked.id} asked={asked} />;
}

/** The person wants to answer: until then what they type goes where they typed. */
const enter = () => document.querySelector<HTMLElement>(`${QUESTION_IN_PLACE} h2`)?.focus();

/** The question goes with its answer, and the focus on to the result. */
function leave(): void {
  const { activeElement: at, body } = document;
  if (at === body || at?.closest(QUESTION_IN_PLACE)) document.querySelector<HTMLElement>("main [role=tabpanel]")?.focus();
}

function Waiting({ asked }: { asked: InteractionView }) {
  const { t } = useTranslation("inbox");
  const answer = useContext(AnswerHere);
  const { busy, run } = useCommand();
  const { id, question, putOff } = asked;
  const here = answer !== null && asked.position === 0 && putOff === null;
  useEffect(() => {
    if (!here) return;
    shownInPlace.add(id);
    return () => void shownInPlace.delete(id);
  }, [here, id]);
  useShortcut("a", enter, { enabled: here });
  return (
    <div className="flex flex-col gap-2">
      <div role="status" className="flex flex-wrap items-center gap-2 rounded-m bg-wait-soft px-3 py-2 text-wait">
        <Icon of={Hourglass} className="shrink-0" />
        <span className="min-w-40 flex-1">
          <b>{leadIn(t("waits.title"))}</b>
          {question.kind === "tool" ? t("waits.approve") : t(`arrived.${question.kind}`, { server: visibleLine(asked.serverName) })}
        </span>
        {here && (
          <Button keys="a" onClick={enter}>
            {t("waits.here")}
          </Button>
        )}
        {putOff !== null && (
          <Button busy={busy} onClick={() => void run("bring_back_interaction", { id })}>
            {t("later.back")}
          </Button>
        )}
        <Link
          to="/inbox"
          search={{ id }}
          preload={false}
          className="shrink-0 rounded-xs font-medium text-wait underline-offset-2 hover:underline"
        >
          {t(question.kind === "tool" ? "waits.toCall" : "waits.open")}
        </Link>
      </div>
      {here && <Suspense fallback={<Skeleton rows={3} />}>{answer({ view: asked, onNext: leave })}</Suspense>}
    </div>
  );
}
