import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Hourglass } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import { inbox } from "@/ipc/queries";
import { leadIn } from "@/lib/lead-in";
import type { Run } from "../runs";

/** While a call goes on: that it waits for an answer of the person, and the way there. */
export function WaitsForYou({ run }: { run: Run }) {
  const { t } = useTranslation("inbox");
  const { data } = useQuery(inbox());
  const asked = data?.waiting.find(
    (item) =>
      item.server === run.server &&
      (item.occasion.subject === run.target.name || (item.question.kind === "tool" && item.question.tool === run.target.name)),
  );
  if (asked === undefined || run.state === "done") return null;
  return (
    <div role="status" className="flex items-center gap-2 rounded-m bg-wait-soft px-3 py-2 text-wait">
      <Icon of={Hourglass} className="shrink-0" />
      <span className="min-w-0 flex-1">
        <b>{leadIn(t("waits.title"))}</b>
        {t("waits.text")}
      </span>
      <Link
        to="/inbox"
        search={{ id: asked.id }}
        preload={false}
        className="shrink-0 rounded-xs font-medium text-wait underline-offset-2 hover:underline"
      >
        {t("waits.open")}
      </Link>
    </div>
  );
}
