import { useQueries, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { DialogBody, DialogFooter } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import { Fold } from "@/components/fold";
import { ImportList, leftAtFirst } from "@/components/import-list";
import { ImportValues } from "@/components/import-values";
import { Skeleton } from "@/components/skeleton";
import { UntrustedText } from "@/components/their-voice";
import { Checkbox } from "@/components/toggles";
import type { AppView } from "@/ipc/bindings/AppView";
import type { ImportValue } from "@/ipc/bindings/ImportValue";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { StartRule } from "@/ipc/bindings/StartRule";
import type { IpcError } from "@/ipc/bridge";
import { appImport, appPlan, apps as appsQuery } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { formatList } from "@/lib/format";
import { showVault } from "@/lib/overlays";
import { wholeSentence } from "@/lib/sentence";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";
import { useImportValues } from "@/lib/use-import-values";
import { FileDiff } from "../file-diff";
import { StartOnUse, USUAL_START } from "../start-on-use";
import { appsWithOwn, namesFrom, namesIn, type Offered, offersOf, ownOf, takenOf } from "./offers";
import type { TakenOver } from "./take-over";

/** Chooses which servers are taken over into which apps, and what happens to the apps' files. */
export function ChooseStage({
  onBusy,
  onDone,
  onClose,
}: {
  /** The sheet stays open while it works, so that nothing is left half done. */
  onBusy: (busy: boolean) => void;
  onDone: (taken: TakenOver) => void;
  onClose: () => void;
}) {
  const { t, i18n } = useTranslation(["apps", "servers"]);
  const list = useQuery(appsQuery());
  // The state when the sheet opened, because taken-over servers leave the list.
  const [there] = useState(() => list.data ?? []);
  const owners = appsWithOwn(there);
  const others = there.filter((app) => app.state === "found" && ownOf(app) === 0);
  const reads = useQueries({ queries: owners.map(({ id }) => appImport({ app: id })) });
  const [unchecked, setUnchecked] = useState<ReadonlySet<string> | null>(null);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(owners.map(({ id }) => id)));
  const [removes, setRemoves] = useState(true);
  const [start, setStart] = useState(USUAL_START);

  const known = owners.flatMap((app, index) => {
    const data = reads[index]?.data;
    return data ? [{ app, hash: data.hash, entries: data.preview.entries }] : [];
  });
  const plain = reads.find(({ data }) => data?.preview.plain)?.data?.preview.plain ?? null;
  const offers = offersOf(known);
  const entries = offers.servers.map(({ entry }) => entry);
  const left = unchecked ?? new Set(leftAtFirst(entries));
  const work = useTaking();
  const taken = takenOf(offers, left, work.names);
  const imported = known.map(({ app }) => ({
    source: { app: app.id },
    entries: taken.filter(({ entry, apps }) => apps[0]?.id === app.id && !work.names.has(entry.name)).map(({ entry }) => entry),
  }));
  const asks = useImportValues(imported);
  const targets = [...owners, ...others].filter(({ id }) => chosen.has(id));
  const removedOf = (app: AppView) => (removes ? namesIn(taken, app) : []);
  const plans = useQueries({ queries: targets.map((app) => appPlan(app.id, false, removedOf(app))) });
  const planOf = (app: AppView) => plans[targets.indexOf(app)];
  const pending = reads.some(({ isPending }) => isPending) || plans.some(({ isPending }) => isPending);

  const submit = async () => {
    const steps = known.map(({ app, hash }) => ({ app, hash, names: namesFrom(taken, app) })).filter(({ names }) => names.length > 0);
    const connects = targets.flatMap((app) => {
      const plan = planOf(app)?.data;
      return plan === undefined ? [] : [{ app, hash: plan?.hash ?? null, replaces: removedOf(app) }];
    });
    if (!asks.isReady()) return;
    onBusy(true);
    const done = await work.take(steps, connects, asks.entered(imported.flatMap((one) => one.entries)), start);
    onBusy(false);
    if (done !== null) onDone(done);
  };
  const again = () => {
    work.clear();
    void Promise.all([...reads, ...plans].map((read) => read.refetch()));
  };
  const named = (apps: readonly AppView[]) =>
    formatList(
      apps.map((app) => visibleLine(app.title)),
      i18n.language,
    );
  const origin = (entry: { name: string }) =>
    t("takeOver.from", { apps: named(offers.servers.find((one) => one.entry.name === entry.name)?.apps ?? []) });
  const toggle = (id: string, take: boolean) => setChosen(new Set([...chosen].filter((one) => one !== id).concat(take ? [id] : [])));

  return (
    <>
      <DialogBody>
        <div className="flex flex-col gap-4">
          <p className="m-0 text-fg-2">{t("takeOver.text")}</p>
          {reads.some(({ isPending }) => isPending) ? (
            <Skeleton rows={4} />
          ) : (
            <>
              {owners.map((app, index) => {
                const error = reads[index]?.error;
                return (
                  error && (
                    <ErrorNotice key={app.id} title={t("takeOver.unread", { name: visibleLine(app.title) })} {...errorWords(error)} />
                  )
                );
              })}
              {plain !== null && (
                <ErrorNotice
                  tone="warn"
                  title={t("servers:import.plain")}
                  why={wholeSentence(plain, i18n.language)}
                  next={t("servers:import.plainNext")}
                >
                  <Button onClick={() => showVault(again)}>{t("problem.vault.open", { ns: "sign-in" })}</Button>
                </ErrorNotice>
              )}
              {asks.asking.length > 0 && (
                <ImportValues entries={asks.asking} values={asks.values} tried={asks.tried} onValues={asks.setValues} />
              )}
              <ImportList
                entries={asks.fill(entries)}
                plain={plain !== null}
                left={left}
                onToggle={(names, take) =>
                  setUnchecked(new Set([...left].filter((name) => !names.includes(name)).concat(take ? [] : names)))
                }
                origin={origin}
              />
              <Others offered={offers.others} named={named} />
              {taken.length > 0 && <StartOnUse id="take-start" start={start} onChange={setStart} />}
            </>
          )}
          <section aria-labelledby="take-over-apps" className="flex flex-col gap-2">
            <h3 id="take-over-apps" className="m-0 font-semibold">
              {t("takeOver.apps")}
            </h3>
            <ul className="m-0 list-none rounded-m border border-line p-0">
              {[...owners, ...others].map((app) => (
                <AppLine
                  key={app.id}
                  app={app}
                  chosen={chosen.has(app.id)}
                  removed={namesIn(taken, app)}
                  removes={removes}
                  plan={chosen.has(app.id) ? planOf(app) : undefined}
                  onToggle={(take) => toggle(app.id, take)}
                />
              ))}
            </ul>
            {targets.some((app) => namesIn(taken, app).length > 0) && (
              <div className="flex gap-2.5 px-3">
                <span className="mt-0.5 inline-flex">
                  <Checkbox id="take-remove" checked={removes} onChange={setRemoves} aria-describedby="take-remove-hint" />
                </span>
                <div className="min-w-0 flex-1">
                  <label htmlFor="take-remove">{t("takeOver.remove")}</label>
                  <p id="take-remove-hint" className="m-0 text-sm text-fg-3">
                    {t("takeOver.removeText")}
                  </p>
                </div>
              </div>
            )}
          </section>
          {work.error !== null && (
            <ErrorNotice answers title={t("takeOver.failed")} {...errorWords(work.error)}>
              <Button onClick={again}>{t("diff.again")}</Button>
            </ErrorNotice>
          )}
        </div>
      </DialogBody>
      <DialogFooter>
        <span className="min-w-0 flex-1 text-fg-3">{t("takeOver.undo")}</span>
        <Button disabled={work.busy} onClick={onClose}>
          {t("notNow")}
        </Button>
        <Button
          look="primary"
          busy={work.busy}
          disabled={pending || work.error !== null || (taken.length === 0 && targets.length === 0)}
          onClick={() => void submit()}
        >
          {t(targets.length === 0 ? "takeOver.submitServers" : taken.length === 0 ? "takeOver.submitApps" : "takeOver.submit", {
            count: taken.length,
          })}
        </Button>
      </DialogFooter>
    </>
  );
}

/** Servers that stay where they are, because another has their name. */
function Others({ offered, named }: { offered: readonly Offered[]; named: (apps: readonly AppView[]) => string }) {
  const { t } = useTranslation("apps");
  return offered.map(({ entry, apps }) => (
    <p key={`${entry.name} ${named(apps)}`} className="m-0 text-sm text-fg-2">
      {t("takeOver.other", { name: visibleLine(entry.name), apps: named(apps) })}
    </p>
  ));
}

/** An app that will use the servers, and the change of its file. */
function AppLine({
  app,
  chosen,
  removed,
  removes,
  plan,
  onToggle,
}: {
  app: AppView;
  chosen: boolean;
  /** Its servers that are taken over. */
  removed: readonly string[];
  removes: boolean;
  plan: { data: { diff: string; repository: string | null } | null | undefined; error: IpcError | Error | null } | undefined;
  onToggle: (take: boolean) => void;
}) {
  const { t } = useTranslation("apps");
  const doubled = chosen && !removes && removed.length > 0;
  const diff = plan?.data?.diff ?? "";
  return (
    <li className="flex gap-2.5 border-b border-line px-3 py-2 last:border-0">
      <span className="mt-0.5 inline-flex">
        <Checkbox id={`take-${app.id}`} checked={chosen} onChange={onToggle} />
      </span>
      <div className="min-w-0 flex-1">
        <label htmlFor={`take-${app.id}`} className="font-semibold">
          <bdi>{visibleLine(app.title)}</bdi>
        </label>
        <p className="mono selectable m-0 text-sm wrap-any text-fg-3">
          <UntrustedText text={app.file ?? ""} />
        </p>
        {doubled && <p className="m-0 text-sm text-warn">{t("takeOver.doubled", { count: removed.length })}</p>}
        {plan?.data?.repository && <p className="m-0 text-sm text-fg-2">{t("takeOver.repository")}</p>}
        {plan?.error && <ErrorNotice title={t("diff.failed")} {...errorWords(plan.error)} next={t("unreadable.next")} />}
        {diff !== "" && (
          <div className="mt-1">
            <Fold title={t("takeOver.diff")}>
              <FileDiff diff={diff} />
            </Fold>
          </div>
        )}
      </div>
    </li>
  );
}

/** Imports and connects in sequence, because each may ask for the vault. Finished steps stay if a later one fails. */
function useTaking() {
  const { run, busy, error, clear } = useCommand({ failure: "shown", vault: true });
  const [imported, setImported] = useState<ReadonlyMap<string, readonly ServerView[]>>(new Map());
  const [connected, setConnected] = useState<readonly AppView[]>([]);
  const take = async (
    imports: readonly { app: AppView; hash: string; names: string[] }[],
    connects: readonly { app: AppView; hash: string | null; replaces: string[] }[],
    values: readonly ImportValue[],
    start: StartRule,
  ): Promise<TakenOver | null> => {
    const servers = new Map(imported);
    const apps = [...connected];
    /* oxlint-disable no-await-in-loop */
    for (const { app, hash, names } of imports) {
      const done = servers.get(app.id) ?? [];
      const missing = names.filter((name) => !done.some((server) => server.name === name));
      if (missing.length === 0) continue;
      const added = await run("import_app_servers", {
        place: { app: app.id },
        hash,
        names: missing,
        values: values.filter(({ entry }) => missing.includes(entry)),
        start,
      });
      if (added === undefined) return null;
      servers.set(app.id, [...done, ...added]);
      setImported(new Map(servers));
    }
    for (const { app, hash, replaces } of connects) {
      if (apps.some(({ id }) => id === app.id)) continue;
      const view = hash === null ? app : await run("connect_app", { id: app.id, hash, replaces });
      if (view === undefined) return null;
      apps.push(view);
      setConnected([...apps]);
    }
    /* oxlint-enable no-await-in-loop */
    const since = Math.min(...apps.map(({ connectedAt }) => connectedAt ?? Number.POSITIVE_INFINITY));
    return { servers: [...servers.values()].flat().map(({ id }) => id), apps, since };
  };
  const names = new Set([...imported.values()].flat().map(({ name }) => name));
  return { take, busy, error, clear, names };
}
