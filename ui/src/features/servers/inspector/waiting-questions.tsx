import { useNavigate } from "@tanstack/react-router";
import { Hourglass } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Icon } from "@/components/icon";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { questionWords } from "@/lib/question-words";
import { useQuestionsOf } from "@/lib/waiting";

/** A server's open questions: their number, the first one, and a link to it. */
export function WaitingQuestions({ server }: { server: ServerView }) {
  const { t } = useTranslation("servers");
  const { t: inboxWords } = useTranslation("inbox");
  const navigate = useNavigate();
  const { now, later } = useQuestionsOf(server.id);
  const asked = now.length > 0 ? now : later;
  const first = asked.find(({ position }) => position === 0) ?? asked[0];
  if (first === undefined) return null;
  const title = t(now.length > 0 ? "waiting.now" : "waiting.later", { count: asked.length });
  return (
    <section aria-label={title} className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-m bg-wait-soft px-3 py-2.5">
      <Icon of={Hourglass} size={16} className="shrink-0 text-wait" />
      <div className="min-w-40 flex-1">
        <p className="m-0 font-[580]">{title}</p>
        <p className="m-0 wrap-any text-fg-2">{questionWords(first, inboxWords)}</p>
      </div>
      <Button
        look={now.length > 0 ? "primary" : "default"}
        onClick={() => void navigate({ to: "/inbox", search: { id: first.id } })}
        className="ml-auto"
      >
        {now.length > 0 ? t("waiting.answer") : inboxWords("arrived.open")}
      </Button>
    </section>
  );
}
