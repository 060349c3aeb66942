import { TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog, DialogBody, DialogFooter } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import { Icon } from "@/components/icon";
import type { EarlierBundle } from "@/ipc/bindings/EarlierBundle";
import type { ServerBundleView } from "@/ipc/bindings/ServerBundleView";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { errorWords } from "@/lib/error-text";
import { formatList } from "@/lib/format";
import { toast } from "@/lib/toasts";
import { quotedLine, visibleLine } from "@/lib/untrusted";
import { useArmed } from "@/lib/use-armed";
import { useCommand } from "@/lib/use-command";
import { Command } from "./command";
import { WhatDiffers } from "./what-differs";

/** Shows what would run after going back to an earlier version, and what that loses. */
export function RollBackDialog({
  server,
  bundle,
  previous,
  onClose,
}: {
  server: ServerView;
  bundle: ServerBundleView;
  previous: EarlierBundle;
  onClose: () => void;
}) {
  const { t, i18n } = useTranslation("bundles");
  const { busy, error, run } = useCommand({ failure: "shown", vault: true });
  const armed = useArmed(previous.hash, 0);
  const version = visibleLine(previous.version);
  const lost = [
    ...(previous.missing.length > 0
      ? [t("back.missing", { count: previous.missing.length, names: formatList(previous.missing.map(quotedLine), i18n.language) })]
      : []),
    ...(previous.removed.length > 0
      ? [t("removed", { count: previous.removed.length, names: formatList(previous.removed.map(quotedLine), i18n.language) })]
      : []),
  ];
  const submit = async () => {
    const back = await run("roll_back_bundle", { id: server.id, hash: previous.hash });
    if (back === undefined) return;
    toast({ text: t("back.done", { name: quotedLine(back.name), version }) });
    onClose();
  };
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} size="l" title={t("back.title", { version })} bare>
      <DialogBody>
        <div className="flex flex-col gap-4">
          <p className="m-0 text-fg-2">{t("back.text", { current: visibleLine(bundle.version) })}</p>
          <Command server={previous.server} title={t("back.runs")} by={bundle.title} />
          <WhatDiffers change={previous} name={bundle.title} />
          {lost.map((text) => (
            <p key={text} className="m-0 flex gap-2 rounded-m bg-warn-soft px-3 py-2">
              <Icon of={TriangleAlert} className="mt-0.75 shrink-0 text-warn" />
              <span className="min-w-0 wrap-any">{text}</span>
            </p>
          ))}
          {error !== null && <ErrorNotice title={t("failed.back")} answers {...errorWords(error)} />}
        </div>
      </DialogBody>
      <DialogFooter>
        <span className="flex-1" />
        <Button onClick={onClose}>{t("cancel", { ns: "common" })}</Button>
        <Button look="primary" busy={busy} arming={!armed} onClick={() => void submit()}>
          {t("back.submit")}
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
