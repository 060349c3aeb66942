import { BookOpen, CopyCheck, CopyX, FilePlus, Globe, House, type LucideIcon, PencilLine, TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import { cx } from "@/lib/cx";
import type { Claim } from "@/lib/tool-claims";

const icons: Record<Claim, LucideIcon> = {
  readOnly: BookOpen,
  notReadOnly: PencilLine,
  destructive: TriangleAlert,
  notDestructive: FilePlus,
  idempotent: CopyCheck,
  notIdempotent: CopyX,
  openWorld: Globe,
  closedWorld: House,
};

/** What a server claims of a tool's effects, as small as a row needs it; the words stand in the titles. */
export function ClaimMarks({ claims }: { claims: readonly Claim[] }) {
  const { t } = useTranslation();
  if (claims.length === 0) return null;
  return (
    <ul aria-label={t("claim.label")} className="m-0 flex shrink-0 list-none gap-1 p-0">
      {claims.map((claim) => (
        <li
          key={claim}
          title={`${t("claim.label")} ${t(`claim.${claim}`)}`}
          className={cx("inline-flex", claim === "destructive" ? "text-bad" : "text-fg-3")}
        >
          <Icon of={icons[claim]} size={12} />
          <span className="sr-only">{t(`claim.${claim}`)}</span>
        </li>
      ))}
    </ul>
  );
}
