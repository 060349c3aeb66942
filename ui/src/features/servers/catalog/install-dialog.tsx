import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { CodeBlock } from "@/components/code-block";
import { Dialog, DialogBody, DialogFooter } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import { Field } from "@/components/field";
import { ImportValues } from "@/components/import-values";
import { Input } from "@/components/input";
import { Select } from "@/components/select";
import type { CatalogEntryView } from "@/ipc/bindings/CatalogEntryView";
import type { ImportEntry } from "@/ipc/bindings/ImportEntry";
import { importPreview, servers } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { showVault } from "@/lib/overlays";
import { wholeSentence } from "@/lib/sentence";
import { shownLinesOf } from "@/lib/server-address";
import { toast } from "@/lib/toasts";
import { visible, visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";
import { useImportValues } from "@/lib/use-import-values";
import { RightsNote } from "../form/rights-note";

/** The name, or the first one with a number that no server has. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  let number = 2;
  while (taken.has(`${name} ${number}`)) number += 1;
  return `${name} ${number}`;
}

/** Chooses a package, asks for its values, shows what it will run, and saves the server. */
export function InstallDialog({ view, onClose }: { view: CatalogEntryView; onClose: () => void }) {
  const { t, i18n } = useTranslation("catalog");
  const navigate = useNavigate();
  const query = useQuery(importPreview(view.serverJson));
  const { data: list = [] } = useQuery(servers());
  const [chosen, setChosen] = useState<string | null>(null);
  const [typed, setTyped] = useState<string | null>(null);
  const { busy, error, run, clear } = useCommand({ failure: "shown", vault: true });
  const good = (query.data?.entries ?? []).filter((entry) => entry.server !== null);
  const entry: ImportEntry | undefined = good.find(({ name }) => name === chosen) ?? good[0];
  const wanted = entry === undefined ? [] : [entry];
  const asks = useImportValues([{ source: { text: view.serverJson }, entries: wanted }]);
  const [filled] = asks.fill(wanted);
  const taken = new Set(list.map(({ name }) => name));
  const name = typed ?? freeName(entry?.name ?? "", taken);
  const problem = name.trim() === "" ? t("install.noName") : taken.has(name.trim()) ? t("install.taken") : null;

  const add = async () => {
    if (entry === undefined || busy || problem !== null || !asks.isReady()) return;
    const source = { name: view.entry.name, version: view.entry.version };
    const values = asks.entered(wanted);
    const args = { source, text: view.serverJson, package: entry.name, name: name.trim(), values };
    const added = await run("add_from_catalog", args, { done: () => toast({ text: t("install.done", { name: visibleLine(name) }) }) });
    const [first] = added ?? [];
    if (first === undefined) return;
    onClose();
    void navigate({ to: "/servers", search: { id: first.id } });
  };
  return (
    <Dialog bare open onOpenChange={(open) => !open && onClose()} title={t("install.title", { title: visibleLine(view.entry.title) })}>
      <DialogBody>
        <div className="flex flex-col gap-4">
          {good.length > 1 && entry !== undefined && (
            <Field label={t("install.package")}>
              {(wiring) => (
                <Select
                  {...wiring}
                  value={entry.name}
                  options={good.map((one) => ({ value: one.name, label: visibleLine(one.name) }))}
                  onChange={(next) => {
                    clear();
                    setChosen(next);
                  }}
                />
              )}
            </Field>
          )}
          <Field label={t("install.name")} error={problem}>
            {(wiring) => <Input {...wiring} value={name} onChange={(event) => setTyped(event.target.value)} />}
          </Field>
          {query.data?.plain != null && (
            <ErrorNotice
              tone="warn"
              title={t("import.plain", { ns: "servers" })}
              why={wholeSentence(query.data.plain, i18n.language)}
              next={t("import.plainNext", { ns: "servers" })}
            >
              <Button onClick={() => showVault(() => void query.refetch())}>{t("problem.vault.open", { ns: "sign-in" })}</Button>
            </ErrorNotice>
          )}
          {asks.asking.length > 0 && (
            <ImportValues entries={asks.asking} values={asks.values} tried={asks.tried} onValues={asks.setValues} />
          )}
          {filled?.server != null && (
            <div>
              <h3 className="m-0 mb-1 font-semibold">{t(filled.server.transport === "http" ? "connects" : "runs")}</h3>
              <CodeBlock language="text" text={visible(shownLinesOf(filled.server))} copy={false} />
            </div>
          )}
          {filled?.server?.transport === "stdio" && <RightsNote transport="stdio" />}
          {error !== null && <ErrorNotice title={t("install.failed")} answers {...errorWords(error)} />}
        </div>
      </DialogBody>
      <DialogFooter>
        <span className="flex-1" />
        <Button onClick={onClose}>{t("cancel", { ns: "common" })}</Button>
        <Button look="primary" busy={busy} disabled={entry === undefined || problem !== null} onClick={() => void add()}>
          {t(entry?.server?.transport === "http" ? "install.connect" : "install.submit")}
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
