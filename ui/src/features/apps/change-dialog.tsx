import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog, DialogFooter, DialogReading } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import { Fold } from "@/components/fold";
import { Skeleton } from "@/components/skeleton";
import { UntrustedText } from "@/components/their-voice";
import { Checkbox } from "@/components/toggles";
import type { AppView } from "@/ipc/bindings/AppView";
import { appCost, appPlan, appUndo } from "@/ipc/queries";
import { useApprovals } from "@/lib/approvals";
import { enterScreen } from "@/lib/enter-screen";
import { errorWords } from "@/lib/error-text";
import { formatList } from "@/lib/format";
import { toast } from "@/lib/toasts";
import { quotedLine, visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";
import { gotIn } from "./app-tools";
import { Connected, useListed } from "./connected";
import { FileDiff } from "./file-diff";
import { enterListSoon } from "./focus";
import { type Approve, approvedBy, GetsSection, proposed, useGets } from "./gets";

/**
 * `renewEntry`: an entry without a valid key gets one. `renewKey`: replaces a valid key. `takeKeyOut`: removes a key
 * from a Git repository. `removeOwn`: removes servers from the app's file that it also has through Mooring.
 */
export type Change = "connect" | "disconnect" | "renewEntry" | "renewKey" | "takeKeyOut" | "removeOwn";

/** The change of an app's file when connecting, renewing or disconnecting it, with the decision. */
export function ChangeDialog({ app, kind, onClose }: { app: AppView; kind: Change; onClose: () => void }) {
  const { t, i18n } = useTranslation("apps");
  const connects = kind !== "disconnect";
  const renew = kind === "renewKey" || kind === "removeOwn";
  const doubled = app.servers.filter(({ ours, here }) => here && !ours).map((server) => server.name);
  const [removes, setRemoves] = useState(kind === "removeOwn");
  const replaces = removes ? doubled : [];
  const plan = useQuery({ ...appPlan(app.id, renew, replaces), enabled: connects });
  const undo = useQuery({ ...appUndo(app.id), enabled: !connects });
  const { data: cost } = useQuery({ ...appCost(app.id), enabled: !connects });
  const loses = !connects && cost ? gotIn(app, cost) : 0;
  const { data, error: unread, isPending } = connects ? plan : undo;
  const { busy, error, run, clear } = useCommand({ failure: "shown", vault: true });
  const gets = useGets(app, kind === "connect");
  const approvals = useApprovals();
  const navigate = useNavigate();
  const [chosen, setChoice] = useState<Approve | null>(null);
  const choice = chosen ?? proposed(gets);
  /** When it was connected. Then the next steps are shown. */
  const [since, setSince] = useState<number | null>(null);
  const [listed] = useListed([app], since ?? Number.POSITIVE_INFINITY);
  const name = visibleLine(app.title);
  const repository = plan.data?.repository ?? null;
  const isRenewal = kind === "renewEntry" || kind === "renewKey";
  const lost = undo.data?.lost ?? [];
  const gone = !connects && undo.data?.outcome === "already_gone";
  // The change would be different from the one shown.
  const outdated = error?.code === "app_file_changed";

  /** Closes it after the button that opened it is gone. */
  const leave = () => {
    onClose();
    enterListSoon();
  };
  const submit = async () => {
    if (data === null || data === undefined) return onClose();
    const { hash } = data;
    const said = () => toast({ text: t(repository !== null && isRenewal ? "takeKeyOut.done" : `${kind}.done`, { name }) });
    if (kind === "connect") {
      const view = await run("connect_app", { id: app.id, hash, replaces });
      if (view === undefined) return;
      // The app may list its tools as soon as it is asked to.
      await approvals.approve(approvedBy(choice, gets));
      setSince(view.connectedAt ?? Number.POSITIVE_INFINITY);
      return;
    }
    const answer = await (connects
      ? run("connect_app", { id: app.id, hash, replaces }, { done: said })
      : run("disconnect_app", { id: app.id, hash }, { done: said }));
    if (answer !== undefined) (connects ? onClose : leave)();
  };
  const lookAgain = () => {
    clear();
    void (connects ? plan : undo).refetch();
  };
  const hint = (): string => {
    if (data === null) return t("connect.nothing");
    if (kind === "renewEntry") return t(app.key === "refused" ? "key.refused" : "key.why", { name });
    if (kind === "removeOwn")
      return t("removeOwn.text", { count: doubled.length, servers: formatList(doubled.map(quotedLine), i18n.language) });
    if (kind === "renewKey") return t("renewKey.text");
    if (kind === "takeKeyOut") return t("key.shared", { name });
    if (kind === "connect" && app.state === "broken") return t("connect.repair");
    if (kind === "connect") return t(plan.data?.backup === true ? "connect.backup" : "connect.newFile");
    return t(`disconnect.outcome.${undo.data?.outcome ?? "restored"}`);
  };

  if (since !== null)
    return (
      <Dialog open onOpenChange={(open) => !open && leave()} title={t(listed ? "lead.connected" : "lead.title", { name })} bare>
        <Connected
          apps={[app]}
          since={since}
          tools={gets.tools.length}
          waiting={gets.fresh.length + gets.alone.length}
          moved={approvals.error?.code === "definition_changed"}
          onReview={() => {
            onClose();
            void navigate({ to: "/review" }).then(enterScreen);
          }}
          onClose={leave}
        />
      </Dialog>
    );
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} size="l" title={t(`${kind}.title`, { name })} bare>
      <DialogReading label={t("diff.label")}>
        <div className="flex flex-col gap-3">
          {isPending ? (
            <Skeleton rows={4} />
          ) : unread ? (
            <ErrorNotice title={t("diff.failed")} {...errorWords(unread)} next={t("unreadable.next")} />
          ) : (
            <>
              {kind === "connect" && <GetsSection apps={[app]} gets={gets} choice={choice} onChoose={setChoice} />}
              {loses > 0 && <p className="m-0 font-semibold">{t("disconnect.loses", { count: loses, name })}</p>}
              <p className="m-0 text-fg-2">{hint()}</p>
              {lost.length > 0 && (
                <ErrorNotice
                  tone="warn"
                  title={t("disconnect.lost", { count: lost.length, servers: formatList(lost.map(quotedLine), i18n.language) })}
                />
              )}
              {kind === "connect" && doubled.length > 0 && (
                <label className="flex gap-2.5">
                  <span className="mt-0.5 inline-flex">
                    <Checkbox id="connect-remove" checked={removes} onChange={setRemoves} />
                  </span>
                  <span className="min-w-0 flex-1">
                    {t("removeOwn.choice", { count: doubled.length, servers: formatList(doubled.map(quotedLine), i18n.language) })}
                  </span>
                </label>
              )}
              {repository !== null && (
                <ErrorNotice
                  tone={kind === "takeKeyOut" ? "info" : "warn"}
                  title={t(kind === "takeKeyOut" ? "takeKeyOut.after" : "connect.noKeyTitle")}
                  why={
                    <>
                      {t(kind === "takeKeyOut" ? "takeKeyOut.text" : "connect.noKey")} <UntrustedText text={repository} />
                    </>
                  }
                />
              )}
              {kind === "renewEntry" && data !== null && repository === null && <p className="m-0 text-fg-2">{t("renewEntry.text")}</p>}
              {data?.diff === "" && !gone && <p className="m-0 text-fg-2">{t("connect.unchanged")}</p>}
              {data && data.diff !== "" && !gone && (
                <>
                  <p className="mono selectable m-0 wrap-any">
                    <UntrustedText text={data.file} />
                  </p>
                  {kind === "connect" ? (
                    // What the app gets comes first here. The diff is optional.
                    <Fold title={t("takeOver.diff")}>
                      {repository === null && <p className="m-0 mb-2 text-fg-2">{t("connect.key")}</p>}
                      <FileDiff diff={data.diff} />
                    </Fold>
                  ) : (
                    <FileDiff diff={data.diff} connects={false} />
                  )}
                </>
              )}
            </>
          )}
          {error !== null && (
            <ErrorNotice answers title={t(outdated ? "diff.outdated" : `${kind}.failed`)} {...(outdated ? {} : errorWords(error))}>
              {outdated && <Button onClick={lookAgain}>{t("diff.again")}</Button>}
            </ErrorNotice>
          )}
        </div>
      </DialogReading>
      <DialogFooter>
        <span className="flex-1" />
        <Button onClick={onClose}>{kind === "connect" ? t("notNow") : t("cancel", { ns: "common" })}</Button>
        <Button
          look={connects && kind !== "removeOwn" ? "primary" : "primaryDanger"}
          busy={busy || approvals.busy}
          disabled={isPending || unread !== null || outdated || (kind === "connect" && gets.pending)}
          onClick={() => void submit()}
        >
          {kind === "connect" && data !== null && gets.fresh.length > 0
            ? t(choice === "none" ? "gets.submitReview" : "gets.submit", { count: approvedBy(choice, gets).length })
            : t(`${kind}.submit`)}
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
