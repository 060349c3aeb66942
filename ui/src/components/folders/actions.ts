// What can be done with folders that servers are told of. Failures become a message; removal can be undone.
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { RootView } from "@/ipc/bindings/RootView";
import { call } from "@/ipc/bridge";
import { roots } from "@/ipc/queries";
import { errorText } from "@/lib/error-text";
import { toast } from "@/lib/toasts";
import { visibleLine } from "@/lib/untrusted";

/** The name that a folder goes by: the person's, else its own. */
export const folderName = (root: Pick<RootView, "name" | "path">): string => {
  const last = root.path.split(/[/\\]/).findLast((part) => part !== "");
  return visibleLine(root.name ?? last ?? root.path);
};

export function useFolderActions() {
  const { t } = useTranslation("roots");
  const client = useQueryClient();
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      toast({ text: errorText(error), tone: "bad" });
    } finally {
      await client.invalidateQueries({ queryKey: roots().queryKey });
    }
  };
  return {
    rename: (id: number, name: string) => attempt(() => call("rename_root", { id, name: name.trim() === "" ? null : name.trim() })),
    share: (server: number, shared: boolean) => attempt(() => call("share_roots", { server, shared })),
    remove: (root: RootView) =>
      attempt(async () => {
        await call("remove_root", { id: root.id });
        toast({
          text: t("removed", { name: folderName(root) }),
          action: { label: t("undo", { ns: "common" }), run: () => void attempt(() => call("restore_root", { id: root.id })) },
        });
      }),
  };
}

export type FolderActions = ReturnType<typeof useFolderActions>;
