// Actions on folders that are shared with servers. Failures show a message, and removal can be undone.
import { useTranslation } from "react-i18next";
import type { RootView } from "@/ipc/bindings/RootView";
import { toast } from "@/lib/toasts";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";

/** A folder's display name: the person's name for it, or its own. */
export const folderName = (root: Pick<RootView, "name" | "path">): string => {
  const last = root.path.split(/[/\\]/).findLast((part) => part !== "");
  return visibleLine(root.name ?? last ?? root.path);
};

export function useFolderActions() {
  const { t } = useTranslation("roots");
  const { run } = useCommand();
  return {
    rename: (id: number, name: string) => run("rename_root", { id, name: name.trim() === "" ? null : name.trim() }),
    share: (server: number, shared: boolean) => run("share_roots", { server, shared }),
    remove: (root: RootView) => {
      const undo = () => void run("restore_root", { id: root.id });
      const done = () => toast({ text: t("removed", { name: folderName(root) }), undo });
      return run("remove_root", { id: root.id }, { done });
    },
  };
}

export type FolderActions = ReturnType<typeof useFolderActions>;
