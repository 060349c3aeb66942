import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { ProfileView } from "@/ipc/bindings/ProfileView";
import { profiles } from "@/ipc/queries";
import { toast } from "@/lib/toasts";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";

/** The profiles, the one in use, and what switches and deletes them, each with an undo. */
export function useProfiles() {
  const { t } = useTranslation(["profiles", "common"]);
  const { data: list = [] } = useQuery(profiles());
  const { run } = useCommand();
  const active = list.find(({ isActive }) => isActive);

  const nameOf = (id: number | null) => {
    const found = list.find((profile) => profile.id === id);
    return found === undefined ? t("everything") : visibleLine(found.name);
  };
  const switchTo = (id: number | null) =>
    run(
      "use_profile",
      { id },
      {
        done: (before) => {
          if (before === id) return;
          const undo = () => void run("use_profile", { id: before });
          toast({ text: t("switched", { name: nameOf(id) }), undo });
        },
      },
    );
  const remove = ({ id, name }: ProfileView) =>
    run(
      "remove_profile",
      { id },
      {
        done: (removed) =>
          void toast({ text: t("removed", { name: visibleLine(name) }), undo: () => void run("restore_profile", { removed }) }),
      },
    );
  return { list, active, switchTo, remove };
}
