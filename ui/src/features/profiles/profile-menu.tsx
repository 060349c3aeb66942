import { Layers } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import { Menu } from "@/components/menu";
import { cx } from "@/lib/cx";
import { showOverlay } from "@/lib/overlays";
import { visibleLine } from "@/lib/untrusted";
import { useProfiles } from "./use-profiles";

/** The profile in use. Its menu switches. Hidden while there is no profile. */
export function ProfileMenu() {
  const { t } = useTranslation("profiles");
  const { list, active, switchTo } = useProfiles();
  if (list.length === 0) return null;
  const name = active === undefined ? t("everything") : visibleLine(active.name);
  const items = [
    { label: t("everything"), checked: active === undefined, onSelect: () => void switchTo(null) },
    ...list.map((profile) => ({ label: visibleLine(profile.name), checked: profile.isActive, onSelect: () => void switchTo(profile.id) })),
    "separator" as const,
    { label: t("manage"), icon: Layers, onSelect: () => showOverlay("profiles") },
  ];
  return (
    <Menu items={items} align="start">
      <button
        type="button"
        aria-label={t("inUse", { name })}
        className={cx(
          "inline-flex max-w-50 items-center gap-1.25 rounded-xs px-1 font-medium hover:text-fg",
          active === undefined ? "text-fg-3" : "text-accent",
        )}
      >
        <Icon of={Layers} size={12} />
        <span className="truncate">{name}</span>
      </button>
    </Menu>
  );
}
