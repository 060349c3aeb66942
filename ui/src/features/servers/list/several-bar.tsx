import { CheckCheck, CircleStop, type LucideIcon, Play, RefreshCw, Trash2, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "@/components/button";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { KEEP_CLEAR } from "@/lib/clear-of";
import { fitting, type Verb, verbs } from "../several";

const icons: Record<Verb, LucideIcon> = { start: Play, stop: CircleStop, restart: RefreshCw, remove: Trash2 };

/** What can be done with the selected servers, each with how many it makes sense for. */
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
  const { t } = useTranslation("servers");
  const fresh = servers.some((server) => server.review.new > 0 && server.state !== "stopped");
  const button = (verb: Verb) => {
    const count = fitting(verb, servers).length;
    return (
      count > 0 && (
        <Button key={verb} icon={icons[verb]} disabled={busy} look={verb === "remove" ? "danger" : "default"} onClick={() => onAct(verb)}>
          {t(`several.${verb}`, { count })}
        </Button>
      )
    );
  };
  return (
    <section
      {...KEEP_CLEAR}
      data-several
      aria-label={t("several.label")}
      className="flex shrink-0 items-start gap-2 border-t border-line bg-surface py-2 pr-2 pl-4"
    >
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-2">
        <span role="status" className="flex-1 leading-7.5 font-[560] whitespace-nowrap tabular">
          {t("several.count", { count: servers.length })}
        </span>
        {/* They go to a line of their own together. */}
        <div className="flex flex-wrap gap-2">
          {verbs.filter((verb) => verb !== "remove").map(button)}
          {fresh && (
            <Button icon={CheckCheck} disabled={busy} onClick={onApprove}>
              {t("several.approve")}
            </Button>
          )}
          {button("remove")}
        </div>
      </div>
      <IconButton icon={X} label={t("several.clear")} keys="escape" onClick={onClear} />
    </section>
  );
}
