import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Chip } from "@/components/chip";
import { Icon } from "@/components/icon";
import { formatList } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import type { BlockNotes } from "./read-result";

/** One block of a result: a line of ours that says what it is, and below it what the server sent. */
export function BlockCard({
  icon,
  kind,
  details,
  notes,
  actions,
  children,
}: {
  icon: LucideIcon;
  kind: string;
  details?: ReactNode;
  notes: BlockNotes | null;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <figure className="group/block m-0 min-w-0 overflow-hidden rounded-m border border-line bg-sunken">
      <figcaption className="flex min-h-7.5 items-center gap-1.5 border-b border-line py-0.5 pr-1 pl-2.5 text-xs text-fg-3">
        <Icon of={icon} size={12} />
        <span className="shrink-0 font-semibold text-fg-2">{kind}</span>
        {details !== undefined && <span className="min-w-0 truncate tabular">{details}</span>}
        <span className="flex-1" />
        {notes !== null && <Notes notes={notes} />}
        {actions}
      </figcaption>
      {children}
    </figure>
  );
}

/** What the server says about the block: for whom it is and how much it matters. */
function Notes({ notes }: { notes: BlockNotes }) {
  const { t, i18n } = useTranslation("workbench");
  const audience = notes.audience.map((who) => (who === "user" || who === "assistant" ? t(`result.audience.${who}`) : visibleLine(who)));
  return (
    <>
      {audience.length > 0 && <Chip>{t("result.for", { who: formatList(audience, i18n.language) })}</Chip>}
      {notes.priority !== null && <Chip>{t("result.priority", { value: visibleLine(notes.priority).slice(0, 12) })}</Chip>}
    </>
  );
}
