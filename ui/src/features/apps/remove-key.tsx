import { Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ConfirmDialog } from "@/components/confirm-dialog";
import type { AppView } from "@/ipc/bindings/AppView";
import { toast } from "@/lib/toasts";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";

/** Whether there is something to remove: a yes of the Inbox, or a key that was made by hand. */
export const isRemovable = ({ state, key, allowed }: AppView): boolean =>
  key === "none" ? allowed : state !== "connected" && state !== "broken";

/** Takes an app's key away, or that it was allowed. A key can't be brought back, so that is asked first. */
export function RemoveKey({ app }: { app: AppView }) {
  const { t } = useTranslation("apps");
  const { busy, run } = useCommand({ vault: true });
  const [asks, setAsks] = useState(false);
  const name = visibleLine(app.title);
  const keyed = app.key !== "none";
  const remove = () => void run("remove_app_key", { id: app.id }, { done: () => toast({ text: t("remove.done", { name }) }) });
  return (
    <>
      <Button look="danger" icon={Trash2} busy={busy} onClick={keyed ? () => setAsks(true) : remove}>
        {t(keyed ? "remove.keyed" : "remove.action")}
      </Button>
      {asks && (
        <ConfirmDialog
          danger
          title={t("remove.title", { name })}
          text={t("remove.text")}
          submit={t("remove.submit")}
          onSubmit={remove}
          onClose={() => setAsks(false)}
        />
      )}
    </>
  );
}
