import { CheckCheck } from "lucide-react";
import { useTranslation } from "react-i18next";
import { ArmedButton } from "@/components/armed-button";
import { Button } from "@/components/button";
import { Chip } from "@/components/chip";
import { Dialog } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import { Skeleton } from "@/components/skeleton";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { isOpen, isPlain, useApprovals, useReviewables } from "@/lib/approvals";
import { errorWords } from "@/lib/error-text";
import { saysDestructive } from "@/lib/tool-claims";
import { useArmed } from "@/lib/use-armed";
import { visibleLine } from "@/lib/untrusted";

/** Asks before everything new of several servers is approved: how many items, and which can delete data. */
export function ApproveDialog({
  servers,
  onDone,
  onClose,
}: {
  servers: readonly ServerView[];
  /** Called when everything was approved. */
  onDone: () => void;
  onClose: () => void;
}) {
  const { t } = useTranslation(["trust", "servers", "common", "inbox"]);
  const { items, pending, error, again } = useReviewables();
  const { busy, error: refused, approve } = useApprovals();
  const open = items.filter((item) => isOpen(item.pin) && servers.some(({ id }) => id === item.server.id));
  const plain = open.filter(({ pin }) => isPlain(pin));
  const alone = open.length - plain.length;
  const armed = useArmed(plain.map(({ server, pin }) => `${server.id}/${pin.kind}/${pin.name} ${pin.hash}`).join("\n"), pending ? null : 0);
  const submit = async () => {
    if (await approve(plain)) onDone();
  };
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      size="s"
      title={t("servers:several.approveTitle")}
      footer={
        <>
          <span className="flex-1" />
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <ArmedButton
            label={t("review.approveChosen", { count: plain.length })}
            icon={CheckCheck}
            busy={busy}
            ready={armed && !busy && plain.length > 0}
            arming={!armed && !pending && plain.length > 0}
            hint={t("inbox:answer.arming")}
            onPress={() => void submit()}
          />
        </>
      }
    >
      <p className="m-0 mb-3 text-fg-2">{t("servers:several.approveText")}</p>
      {refused?.code === "definition_changed" && (
        <ErrorNotice answers tone="warn" title={t("moved.title")} why={t("moved.why")} className="mb-3" />
      )}
      {error !== null && (
        <ErrorNotice title={t(open.length > 0 ? "review.partly" : "failed")} {...errorWords(error)} className="mb-3">
          <Button onClick={again}>{t("common:tryAgain")}</Button>
        </ErrorNotice>
      )}
      {pending && open.length === 0 ? (
        <Skeleton rows={3} />
      ) : (
        plain.length > 0 && (
          <ul aria-label={t("servers:table.label")} className="m-0 list-none rounded-m border border-line p-0">
            {[...Map.groupBy(plain, ({ server }) => server.id).values()].map((of) => {
              const deleting = of.filter(({ hints }) => saysDestructive(hints)).length;
              const name = visibleLine(of[0]?.server.name ?? "");
              return (
                <li
                  key={of[0]?.server.id}
                  className="flex flex-wrap items-center gap-x-2 gap-y-1 border-b border-line px-3 py-2 last:border-0"
                >
                  <bdi className="min-w-0 flex-1 truncate font-[560]" title={name}>
                    {name}
                  </bdi>
                  {deleting > 0 && <Chip tone="warn">{t("servers:several.deleting", { count: deleting })}</Chip>}
                  <span className="shrink-0 text-fg-2 tabular">{t("servers:several.fresh", { count: of.length })}</span>
                </li>
              );
            })}
          </ul>
        )
      )}
      {alone > 0 && <p className="mt-2 mb-0 text-sm text-fg-3">{t("items.alone", { count: alone })}</p>}
    </Dialog>
  );
}
