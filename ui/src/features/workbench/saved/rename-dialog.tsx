import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { SavedCall } from "@/ipc/bindings/SavedCall";
import { savedCalls } from "@/ipc/queries";
import { useCommand } from "@/lib/use-command";
import { isOf, targetOf } from "./saved";
import { NameDialog } from "./name-dialog";

/** Renames a saved call. */
export function RenameDialog({ call, onClose }: { call: SavedCall; onClose: () => void }) {
  const { t } = useTranslation("workbench");
  const { data: saved = [] } = useQuery(savedCalls());
  const { busy, error, run } = useCommand({ failure: "shown" });
  const taken = (name: string) =>
    saved.some((other) => other.id !== call.id && isOf(other, call.serverId, targetOf(call)) && other.name === name);
  return (
    <NameDialog
      title={t("saved.renameTitle")}
      initial={call.name ?? ""}
      submit={t("saved.rename")}
      hint={() => null}
      problem={(name) => (taken(name) ? t("saved.taken") : null)}
      busy={busy}
      error={error}
      onSubmit={(name) => void run("rename_saved_call", { id: call.id, name }, { done: onClose })}
      onClose={onClose}
    />
  );
}
