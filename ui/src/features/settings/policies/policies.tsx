import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ErrorNotice } from "@/components/error-notice";
import { Skeleton } from "@/components/skeleton";
import type { RuleView } from "@/ipc/bindings/RuleView";
import { rules } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { toast } from "@/lib/toasts";
import { useCommand } from "@/lib/use-command";
import { useNow } from "@/lib/use-now";
import { Section } from "../section";
import { RuleDialog } from "./rule-dialog";
import { RuleRow } from "./rule-row";

/** Which calls of tools run, are asked about, or are refused. */
export function Policies() {
  const { t } = useTranslation("policies");
  const { run } = useCommand();
  const query = useQuery(rules());
  const now = useNow(15_000);
  const [editing, setEditing] = useState<RuleView | "new" | null>(null);

  const remove = ({ id }: RuleView) => {
    const undo = () => void run("restore_rule", { id });
    const done = () => toast({ text: t("removed"), undo });
    return run("remove_rule", { id }, { done });
  };

  return (
    <Section id="policies" title={t("title")} text={t("order")}>
      {query.isPending ? (
        <Skeleton rows={3} />
      ) : query.error ? (
        <div className="p-3">
          <ErrorNotice title={t("failed")} {...errorWords(query.error)}>
            <Button busy={query.isFetching} onClick={() => void query.refetch()}>
              {t("tryAgain", { ns: "common" })}
            </Button>
          </ErrorNotice>
        </div>
      ) : query.data.length === 0 ? (
        <p className="m-0 px-4 py-3 text-fg-2">{t("none")}</p>
      ) : (
        <ul aria-label={t("title")} className="m-0 list-none p-0">
          {query.data.map((view) => (
            <RuleRow key={view.id} view={view} now={now} onEdit={() => setEditing(view)} onRemove={() => void remove(view)} />
          ))}
        </ul>
      )}
      <div className="border-t border-line px-4 py-2.5">
        <Button icon={Plus} onClick={() => setEditing("new")}>
          {t("add")}
        </Button>
      </div>
      {editing !== null && <RuleDialog view={editing === "new" ? null : editing} onClose={() => setEditing(null)} />}
    </Section>
  );
}
