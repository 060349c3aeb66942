import { Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ConfirmDialog } from "@/components/confirm-dialog";
import type { AppView } from "@/ipc/bindings/AppView";
import { toast } from "@/lib/toasts";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";

/** Whether there is something to remove: an approval from the Inbox, or a manually created key. */
export const isRemovable = ({ state, key, allowed }: AppView): boolean =>
  key === "none" ? allowed : state !== "connected" && state !== "broken";

/** Removes an app's key or its approval. Asks first, because a key can't be restored. */
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
