import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Hourglass } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import { inbox } from "@/ipc/queries";
import { leadIn } from "@/lib/lead-in";
import { visibleLine } from "@/lib/untrusted";
import type { Run } from "../runs";

/** Whether a question belongs to a call that was made here. Whether a call may run is asked of that of others too. */
const isFor = ({ question, occasion }: InteractionView, name: string): boolean =>
  occasion.subject === name && (occasion.caller === "workbench" || (question.kind !== "tool" && occasion.caller === null));

/** While a call goes on: that it waits for an answer of the person, and the way there. */
export function WaitsForYou({ run }: { run: Run }) {
  const { t } = useTranslation("inbox");
  const { data } = useQuery(inbox());
  const asked = data?.waiting.find((item) => item.server === run.server && isFor(item, run.target.name));
  if (asked === undefined || run.state === "done") return null;
  return (
    <div role="status" className="flex items-center gap-2 rounded-m bg-wait-soft px-3 py-2 text-wait">
      <Icon of={Hourglass} className="shrink-0" />
      <span className="min-w-0 flex-1">
        <b>{leadIn(t("waits.title"))}</b>
        {asked.question.kind === "tool"
          ? t("waits.approve")
          : t(`arrived.${asked.question.kind}`, { server: visibleLine(asked.serverName) })}
      </span>
      <Link
        to="/inbox"
        search={{ id: asked.id }}
        preload={false}
        className="shrink-0 rounded-xs font-medium text-wait underline-offset-2 hover:underline"
      >
        {t(asked.question.kind === "tool" ? "waits.toCall" : "waits.open")}
      </Link>
    </div>
  );
}
