import { CheckCheck, CircleStop, type LucideIcon, Play, RefreshCw, Trash2, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "@/components/button";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { Tooltip } from "@/components/tooltip";
import { KEEP_CLEAR } from "@/lib/clear-of";
import { useWidth } from "@/lib/columns";
import { formatCount } from "@/lib/format";
import { fitting, type Verb, verbs } from "../several";

const icons: Record<Verb, LucideIcon> = { start: Play, stop: CircleStop, restart: RefreshCw, remove: Trash2 };

/** In a list that is narrower than this (px) the buttons have no names beside their icons; counts of two digits need more room. */
const NAMES_FROM = { few: 640, many: 690 } as const;

/** What can be done with the selected servers, each with how many it makes sense for: in one line. */
export function SeveralBar({
  servers,
  busy,
  onAct,
  onApprove,
  onClear,
}: {
  servers: readonly ServerView[];
  busy: boolean;
  onAct: (verb: Verb) => void;
  onApprove: () => void;
  onClear: () => void;
}) {
  const { t, i18n } = useTranslation("servers");
  const [bar, width] = useWidth<HTMLElement>("several");
  const named = width >= NAMES_FROM[servers.length < 10 ? "few" : "many"];
  const fresh = servers.some((server) => server.review.new > 0 && server.state !== "stopped");
  const button = (verb: Verb) => {
    const count = fitting(verb, servers).length;
    return (
      count > 0 && (
        <VerbButton
          key={verb}
          icon={icons[verb]}
          name={t(`several.${verb}`, { count })}
          short={named ? undefined : formatCount(count, i18n.language)}
          disabled={busy}
          look={verb === "remove" ? "danger" : "default"}
          onClick={() => onAct(verb)}
        />
      )
    );
  };
  return (
    <section
      ref={bar}
      {...KEEP_CLEAR}
      data-several
      aria-label={t("several.label")}
      className="flex shrink-0 items-center gap-1.5 border-t border-line bg-surface py-2 pr-2 pl-4"
    >
      <span role="status" className="min-w-0 flex-1 truncate font-[560] tabular">
        {t("several.count", { count: servers.length })}
      </span>
      {verbs.filter((verb) => verb !== "remove").map(button)}
      {fresh && (
        <VerbButton icon={CheckCheck} name={t("several.approve")} short={named ? undefined : ""} disabled={busy} onClick={onApprove} />
      )}
      {button("remove")}
      <IconButton icon={X} label={t("several.clear")} keys="escape" onClick={onClear} />
    </section>
  );
}

function VerbButton({
  icon,
  name,
  short,
  look = "default",
  disabled,
  onClick,
}: {
  icon: LucideIcon;
  name: string;
  /** What stands beside the icon where the name has no room. */
  short: string | undefined;
  look?: "default" | "danger";
  disabled: boolean;
  onClick: () => void;
}) {
  if (short === undefined)
    return (
      <Button icon={icon} look={look} disabled={disabled} onClick={onClick}>
        {name}
      </Button>
    );
  return (
    <Tooltip text={name}>
      <Button icon={icon} look={look} disabled={disabled} aria-label={name} className="px-2 tabular" onClick={onClick}>
        {short}
      </Button>
    </Tooltip>
  );
}
