import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog, DialogBody, DialogFooter } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import { ImportList, leftAtFirst } from "@/components/import-list";
import { ImportValues } from "@/components/import-values";
import { Skeleton } from "@/components/skeleton";
import type { AppView } from "@/ipc/bindings/AppView";
import { appImport } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { showVault } from "@/lib/overlays";
import { wholeSentence } from "@/lib/sentence";
import { toast } from "@/lib/toasts";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";
import { useImportValues } from "@/lib/use-import-values";
import { StartOnUse, USUAL_START } from "./start-on-use";

/** Imports the app's own servers into Mooring. */
export function ImportDialog({ app, onClose }: { app: AppView; onClose: () => void }) {
  const { t, i18n } = useTranslation(["apps", "servers"]);
  const query = useQuery(appImport({ app: app.id }));
  const [unchecked, setUnchecked] = useState<ReadonlySet<string> | null>(null);
  const [start, setStart] = useState(USUAL_START);
  const { busy, error, run, clear } = useCommand({ failure: "shown", vault: true });
  const preview = query.data?.preview;
  const left = unchecked ?? new Set(leftAtFirst(preview?.entries ?? []));
  const chosen = (preview?.entries ?? []).filter((entry) => entry.server !== null && !entry.exists && !left.has(entry.name));
  const asks = useImportValues(chosen.length === 0 ? [] : [{ source: { app: app.id }, entries: chosen }]);
  const outdated = error?.code === "app_file_changed";

  const add = async () => {
    if (!query.data || chosen.length === 0) return;
    if (!asks.isReady()) return;
    const names = chosen.map((entry) => entry.name);
    const done = ({ length }: readonly unknown[]) => toast({ text: t("servers:import.added", { count: length }) });
    const added = await run(
      "import_app_servers",
      { place: { app: app.id }, hash: query.data.hash, names, values: asks.entered(chosen), start },
      { done },
    );
    if (added !== undefined) onClose();
  };
  const lookAgain = () => {
    clear();
    void query.refetch();
  };

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} size="l" title={t("import.title", { name: visibleLine(app.title) })} bare>
      <DialogBody>
        <div className="flex flex-col gap-3">
          {query.isPending ? (
            <Skeleton rows={4} />
          ) : query.error ? (
            <ErrorNotice title={t("import.failed")} {...errorWords(query.error)} />
          ) : (
            <>
              {query.data.preview.error && (
                <ErrorNotice
                  title={t("servers:import.broken", { line: query.data.preview.error.line, column: query.data.preview.error.column })}
                  why={wholeSentence(query.data.preview.error.message, i18n.language)}
                />
              )}
              {query.data.preview.plain !== null && (
                <ErrorNotice
                  tone="warn"
                  title={t("servers:import.plain")}
                  why={wholeSentence(query.data.preview.plain, i18n.language)}
                  next={t("servers:import.plainNext")}
                >
                  <Button onClick={() => showVault(() => void query.refetch())}>{t("problem.vault.open", { ns: "sign-in" })}</Button>
                </ErrorNotice>
              )}
              {asks.asking.length > 0 && (
                <ImportValues entries={asks.asking} values={asks.values} tried={asks.tried} onValues={asks.setValues} />
              )}
              <ImportList
                entries={asks.fill(query.data.preview.entries)}
                plain={query.data.preview.plain !== null}
                left={left}
                onToggle={(names, take) =>
                  setUnchecked(new Set([...left].filter((name) => !names.includes(name)).concat(take ? [] : names)))
                }
              />
              {chosen.length > 0 && <StartOnUse id="import-start" start={start} onChange={setStart} />}
            </>
          )}
          {error !== null && (
            <ErrorNotice answers title={t(outdated ? "diff.outdated" : "import.failed")} {...(outdated ? {} : errorWords(error))}>
              {outdated && <Button onClick={lookAgain}>{t("diff.again")}</Button>}
            </ErrorNotice>
          )}
        </div>
      </DialogBody>
      <DialogFooter>
        <span className="min-w-0 flex-1 text-fg-3">{t("servers:import.copy")}</span>
        <Button onClick={onClose}>{t("cancel", { ns: "common" })}</Button>
        <Button look="primary" busy={busy} disabled={chosen.length === 0 || outdated} onClick={() => void add()}>
          {chosen.length === 0 ? t("servers:import.submitNone") : t("servers:import.submit", { count: chosen.length })}
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
