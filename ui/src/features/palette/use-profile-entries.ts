import { Layers } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useProfiles } from "@/features/profiles/use-profiles";
import { showOverlay } from "@/lib/overlays";
import { visibleLine } from "@/lib/untrusted";
import type { Entry } from "./entry";

/** Every profile, to use it, and the list of them. */
export function useProfileEntries(): Entry[] {
  const { t } = useTranslation(["palette", "profiles"]);
  const { list, active, switchTo } = useProfiles();
  const entry = (id: number | null, name: string): Entry => ({
    id: `profile:${id ?? "none"}`,
    group: "action",
    title: t("profile", { name }),
    also: [t("also.profile"), name],
    icon: Layers,
    current: id === (active?.id ?? null),
    run: () => void switchTo(id),
  });
  const manage: Entry = {
    id: "action:profiles",
    group: "action",
    title: t("profiles:manage"),
    also: [t("also.profile")],
    icon: Layers,
    offered: true,
    run: () => showOverlay("profiles"),
  };
  if (list.length === 0) return [manage];
  return [entry(null, t("profiles:everything")), ...list.map(({ id, name }) => entry(id, visibleLine(name))), manage];
}
