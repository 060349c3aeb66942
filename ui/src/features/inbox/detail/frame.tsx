import type { ReactNode } from "react";
import { cx } from "@/lib/cx";
import type { Question } from "../use-question";
import { Asker } from "./asker";
import { Gone } from "./gone";

/** The page of one question: what it is, who asks and why, the matter itself, and the decision below. */
export function QuestionFrame({
  question,
  kicker,
  title,
  lead,
  bar,
  children,
}: {
  question: Question;
  kicker: string;
  title: ReactNode;
  lead?: ReactNode;
  bar: ReactNode;
  children: ReactNode;
}) {
  const { view, gone, answering } = question;
  return (
    <section aria-labelledby="question-title" className="flex min-h-0 flex-1 flex-col">
      <div className="relative min-h-0 flex-1 overflow-y-auto">
        <div className="max-w-195 px-5 pt-4 pb-6">
          <p className="m-0 mb-1.5 text-fg-3">{kicker}</p>
          <h2
            id="question-title"
            data-start
            tabIndex={-1}
            className="m-0 outline-none mb-1.5 text-xl font-[620] tracking-[-.015em] wrap-any [&_code]:text-[17px]"
          >
            {title}
          </h2>
          {Boolean(lead) && <p className="m-0 text-fg-2">{lead}</p>}
          <Asker view={view} />
          {gone && !answering.done && <Gone view={view} />}
          {children}
        </div>
      </div>
      {bar}
    </section>
  );
}

/** A part of a question with its heading. */
export function Part({ title, after, className, children }: { title: string; after?: ReactNode; className?: string; children: ReactNode }) {
  return (
    <section className={cx("mt-4.5", className)}>
      <div className="mb-2 flex min-h-5 items-center gap-2">
        <h3 className="m-0 font-semibold">{title}</h3>
        <span className="flex-1" />
        {after}
      </div>
      {children}
    </section>
  );
}
