import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ErrorNotice } from "@/components/error-notice";
import { Page } from "@/components/page";
import { Skeleton } from "@/components/skeleton";
import type { RuleView } from "@/ipc/bindings/RuleView";
import { rules } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { toast } from "@/lib/toasts";
import { patternOf } from "@/lib/tool-name";
import { useCommand } from "@/lib/use-command";
import { useNow } from "@/lib/use-now";
import type { RuleDraft } from "./draft";
import { ReadOnlyDialog } from "./read-only-dialog";
import { RuleDialog } from "./rule-dialog";
import { RuleRow } from "./rule-row";
import type { RuleStart } from "./search";
import { Templates } from "./templates";

const route = getRouteApi("/policies");

/** The open dialog: a new rule with its template, a saved one, or the rules for read-only tools. */
type Open = { template: Partial<RuleDraft> } | { view: RuleView } | "read_only";

const templateOf = ({ effect, server, tool, caller }: RuleStart): Partial<RuleDraft> => ({
  effect,
  server,
  which: "one",
  tool: patternOf(tool),
  caller,
});

/** Changes by other programs come first, because they must be settled. */
const inOrder = (views: readonly RuleView[]): readonly RuleView[] =>
  views.toSorted((left, right) => Number(right.changed) - Number(left.changed));

/** Which tool calls are allowed, asked about, or denied. */
export function PoliciesScreen() {
  const { t } = useTranslation("policies");
  const { run } = useCommand();
  const query = useQuery(rules());
  const { rule, make } = route.useSearch();
  const navigate = route.useNavigate();
  const now = useNow(15_000);
  const [opened, setOpen] = useState<Open | null>(null);
  const open = opened ?? (make === undefined ? null : { template: templateOf(make) });
  const close = () => {
    setOpen(null);
    if (make !== undefined) void navigate({ search: {}, replace: true });
  };

  const remove = ({ id }: RuleView) => {
    const undo = () => void run("restore_rule", { id });
    const done = () => toast({ text: t("removed"), undo });
    return run("remove_rule", { id }, { done });
  };

  const added = (ids: readonly number[]) => {
    const undo = () => void Promise.all(ids.map((id) => run("remove_rule", { id })));
    toast({ text: t("added", { count: ids.length }), undo });
  };

  return (
    <Page
      title={t("place")}
      actions={
        <Button look="primary" icon={Plus} onClick={() => setOpen({ template: {} })}>
          {t("add")}
        </Button>
      }
    >
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto flex max-w-190 flex-col gap-5 px-6 py-5">
          <p className="m-0 text-fg-2">{t("order")}</p>
          {query.isPending ? (
            <Skeleton rows={3} />
          ) : query.error ? (
            <ErrorNotice title={t("failed")} {...errorWords(query.error)}>
              <Button busy={query.isFetching} onClick={() => void query.refetch()}>
                {t("tryAgain", { ns: "common" })}
              </Button>
            </ErrorNotice>
          ) : query.data.length === 0 ? (
            <p className="m-0 rounded-m border border-line px-4 py-3 text-fg-2">{t("none")}</p>
          ) : (
            <ul aria-label={t("place")} className="m-0 list-none rounded-m border border-line p-0">
              {inOrder(query.data).map((view) => (
                <RuleRow
                  key={view.id}
                  view={view}
                  pointed={view.id === rule}
                  now={now}
                  onEdit={() => setOpen({ view })}
                  onRemove={() => void remove(view)}
                />
              ))}
            </ul>
          )}
          {query.data && <Templates onRule={(template) => setOpen({ template })} onReadOnly={() => setOpen("read_only")} />}
        </div>
      </div>
      {open === "read_only" ? (
        <ReadOnlyDialog rules={query.data ?? []} onSaved={added} onClose={close} />
      ) : (
        open !== null && (
          <RuleDialog {...("view" in open ? { view: open.view } : { view: null, template: open.template })} onClose={close} />
        )
      )}
    </Page>
  );
}
