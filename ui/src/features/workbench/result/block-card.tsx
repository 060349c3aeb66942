import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Chip } from "@/components/chip";
import { Icon } from "@/components/icon";
import { formatList } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import type { BlockNotes } from "./read-result";

/** A block of a result: our description, and the server's content below. */
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

/** The server's annotations of the block: its audience and priority. */
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
