import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog, DialogFooter, DialogReading } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import { Skeleton } from "@/components/skeleton";
import { UntrustedText } from "@/components/their-voice";
import type { AppView } from "@/ipc/bindings/AppView";
import { appPlan, appUndo } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { toast } from "@/lib/toasts";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";
import { FileDiff } from "./file-diff";

/** `renewEntry`: an entry without a valid key gets one; `renewKey`: another one in the place of a valid one; `takeKeyOut`: a
 * key in a Git repository goes. */
export type Change = "connect" | "disconnect" | "renewEntry" | "renewKey" | "takeKeyOut";

/** What connecting, renewing or disconnecting an app changes in its file, and the decision. */
export function ChangeDialog({ app, kind, onClose }: { app: AppView; kind: Change; onClose: () => void }) {
  const { t } = useTranslation("apps");
  const connects = kind !== "disconnect";
  const renew = kind === "renewKey";
  const plan = useQuery({ ...appPlan(app.id, renew), enabled: connects });
  const undo = useQuery({ ...appUndo(app.id), enabled: !connects });
  const { data, error: unread, isPending } = connects ? plan : undo;
  const { busy, error, run, clear } = useCommand({ failure: "shown", vault: true });
  const name = visibleLine(app.title);
  const repository = plan.data?.repository ?? null;
  const isRenewal = kind === "renewEntry" || kind === "renewKey";
  const gone = !connects && undo.data?.outcome === "already_gone";
  // What was shown isn't what would be written any more.
  const outdated = error?.code === "app_file_changed";

  const submit = async () => {
    if (data === null || data === undefined) return onClose();
    const { hash } = data;
    const done = { done: () => toast({ text: t(repository !== null && isRenewal ? "takeKeyOut.done" : `${kind}.done`, { name }) }) };
    const answer = await (connects ? run("connect_app", { id: app.id, hash }, done) : run("disconnect_app", { id: app.id, hash }, done));
    if (answer !== undefined) onClose();
  };
  const lookAgain = () => {
    clear();
    void (connects ? plan : undo).refetch();
  };
  const hint = (): string => {
    if (data === null) return t("connect.nothing");
    if (kind === "renewEntry") return t(app.key === "refused" ? "key.refused" : "key.why", { name });
    if (kind === "renewKey") return t("renewKey.text");
    if (kind === "takeKeyOut") return t("key.shared", { name });
    if (kind === "connect" && app.state === "broken") return t("connect.repair");
    if (kind === "connect") return t(plan.data?.backup === true ? "connect.backup" : "connect.newFile");
    return t(`disconnect.outcome.${undo.data?.outcome ?? "restored"}`);
  };

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
              <p className="m-0 text-fg-2">{hint()}</p>
              {repository !== null && (
                <p className="m-0 text-fg-2">
                  {t(kind === "takeKeyOut" ? "takeKeyOut.text" : "connect.noKey")} <UntrustedText text={repository} />
                </p>
              )}
              {kind === "connect" && data !== null && repository === null && <p className="m-0 text-fg-2">{t("connect.key")}</p>}
              {kind === "renewEntry" && data !== null && repository === null && <p className="m-0 text-fg-2">{t("renewEntry.text")}</p>}
              {data?.diff === "" && !gone && <p className="m-0 text-fg-2">{t("connect.unchanged")}</p>}
              {data && data.diff !== "" && !gone && (
                <>
                  <p className="mono selectable m-0 wrap-any">
                    <UntrustedText text={data.file} />
                  </p>
                  <FileDiff diff={data.diff} />
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
        <Button onClick={onClose}>{t("cancel", { ns: "common" })}</Button>
        <Button
          look={connects ? "primary" : "primaryDanger"}
          busy={busy}
          disabled={isPending || unread !== null || outdated}
          onClick={() => void submit()}
        >
          {t(`${kind}.submit`)}
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
