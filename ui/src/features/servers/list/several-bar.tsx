import { CheckCheck, CircleStop, type LucideIcon, Play, RefreshCw, Trash2, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "@/components/button";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { KEEP_CLEAR } from "@/lib/clear-of";
import { useWidth } from "@/lib/columns";
import { cx } from "@/lib/cx";
import { fitting, type Verb, verbs } from "../several";

const icons: Record<Verb, LucideIcon> = { start: Play, stop: CircleStop, restart: RefreshCw, remove: Trash2 };

/** In a list narrower than this (px) the buttons have their own line. Two-digit counts need more room. */
const ONE_LINE_FROM = { few: 640, many: 690 } as const;

/** Actions on the selected servers, each with the number of servers it applies to. On one line if there is room. */
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
  const [bar, width] = useWidth<HTMLElement>("several");
  const isOneLine = width >= ONE_LINE_FROM[servers.length < 10 ? "few" : "many"];
  const fresh = servers.some((server) => server.review.new > 0 && server.state !== "stopped");
  const button = (verb: Verb) => {
    const count = fitting(verb, servers).length;
    return (
      count > 0 && (
        <Button key={verb} icon={icons[verb]} look={verb === "remove" ? "danger" : "default"} disabled={busy} onClick={() => onAct(verb)}>
          {t(`several.${verb}`, { count })}
        </Button>
      )
    );
  };
  const clear = <IconButton icon={X} label={t("several.clear")} keys="escape" onClick={onClear} />;
  return (
    <section
      ref={bar}
      {...KEEP_CLEAR}
      data-several
      aria-label={t("several.label")}
      className="flex shrink-0 flex-wrap items-center gap-1.5 border-t border-line bg-surface py-2 pr-2 pl-4"
    >
      <span role="status" className={cx("min-w-0 grow truncate font-[560] tabular", isOneLine ? "basis-0" : "basis-[calc(100%-3rem)]")}>
        {t("several.count", { count: servers.length })}
      </span>
      {!isOneLine && clear}
      {verbs.filter((verb) => verb !== "remove").map(button)}
      {fresh && (
        <Button icon={CheckCheck} disabled={busy} onClick={onApprove}>
          {t("several.approve")}
        </Button>
      )}
      {button("remove")}
      {isOneLine && clear}
    </section>
  );
}
