import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import { decisions } from "@/ipc/queries";
import { wholeSentence } from "@/lib/sentence";
import { marks } from "../decisions/marks";
import type { ServerRole } from "../kinds/kind";

/** The texts for questions that their call, command or server withdrew. */
const withdrawn = {
  server: "withdrawn",
  runsOn: "callCancelled",
  firstCall: "callCancelled",
  uses: "commandStopped",
} as const satisfies Record<ServerRole, string>;

/** Explains why the answer is no longer needed. */
export function Gone({ view, role }: { view: InteractionView; role: ServerRole }) {
  const { t, i18n } = useTranslation("inbox");
  const { data: list = [] } = useQuery(decisions(10));
  const end = list.find((item) => item.id === view.id);
  const outcome = end?.outcome ?? "withdrawn";
  return (
    <div role="status" className="mt-3.5 flex gap-2 rounded-m border border-line bg-wait-soft px-3 py-2.5 text-wait">
      <Icon of={marks[outcome].icon} className="mt-0.75 shrink-0" />
      <div className="min-w-0">
        <p className="m-0 font-[580]">{t(`gone.${outcome === "withdrawn" ? withdrawn[role] : outcome}`)}</p>
        {end?.reason != null && <p className="m-0 wrap-any">{wholeSentence(end.reason, i18n.language)}</p>}
      </div>
    </div>
  );
}
