import { useQuery } from "@tanstack/react-query";
import { Inbox } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { SilencedServer } from "@/ipc/bindings/SilencedServer";
import { decisions } from "@/ipc/queries";
import { DecisionList } from "./decisions/decision-list";
import { Silenced } from "./queue/silenced";

/** How many decisions stand below. */
const SHOWN = 10;

/** Nothing waits: what will come here, and how the last questions ended. */
export function NothingWaits({ silenced }: { silenced: readonly SilencedServer[] }) {
  const { t } = useTranslation("inbox");
  const { data, error } = useQuery(decisions(SHOWN));
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto w-full max-w-150 px-6 py-12">
        <div className="flex flex-col items-center text-center">
          <span className="mb-3 grid size-10 place-items-center rounded-l border border-line bg-sunken text-fg-3">
            <Inbox size={20} aria-hidden />
          </span>
          <h2 id="question-title" data-start tabIndex={-1} className="m-0 text-lg font-[620] outline-none">
            {t("empty.title")}
          </h2>
          <p className="mt-1 mb-0 max-w-105 text-balance text-fg-2">{t("empty.text")}</p>
        </div>
        <Silenced servers={silenced} className="mt-8 overflow-hidden rounded-m border border-line [&>:last-child]:border-b-0" />
        {(error !== null || (data !== undefined && data.length > 0)) && (
          <section aria-labelledby="inbox-decided" className="mt-8">
            <h3 id="inbox-decided" className="m-0 mb-1 border-b border-line pb-1.5 text-sm font-semibold text-fg-3">
              {t("decisions.last")}
            </h3>
            <DecisionList limit={SHOWN} />
          </section>
        )}
      </div>
    </div>
  );
}
