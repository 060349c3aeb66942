import { Undo2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import type { ApprovalView } from "@/ipc/bindings/ApprovalView";
import { formatSpan } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import { useNow } from "@/lib/use-now";

/** The remembered approvals for a server's sampling. Each can be removed. */
export function Standing({ answers, onForget }: { answers: readonly ApprovalView[]; onForget: (id: number) => void }) {
  const { t, i18n } = useTranslation("models");
  const now = useNow(30_000);
  return (
    <ul aria-label={t("standing.title")} className="m-0 mt-2 list-none rounded-m border border-line bg-sunken p-0">
      {answers.map((answer) => {
        const model =
          answer.providerName === null ? t("practice.name") : `${visibleLine(answer.providerName)}: ${visibleLine(answer.model)}`;
        const term = answer.session
          ? t("standing.session")
          : answer.until === null
            ? t("standing.always")
            : t("standing.until", { time: formatSpan(answer.until - now, i18n.language) });
        const said = t(`standing.${answer.look}.${answer.allow ? "yes" : "no"}`);
        return (
          <li key={answer.id} className="flex items-center gap-2 border-b border-line py-1 pr-1 pl-3 last:border-0">
            <span className="min-w-0 flex-1 wrap-any">
              {said} <bdi className="mono">{model}</bdi> <span className="text-fg-3">· {term}</span>
            </span>
            <IconButton small icon={Undo2} label={t("standing.forget", { said, model })} onClick={() => onForget(answer.id)} />
          </li>
        );
      })}
    </ul>
  );
}
