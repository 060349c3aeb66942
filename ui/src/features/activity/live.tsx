import { ArrowDown, Pause, Play } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Icon } from "@/components/icon";
import { Tooltip } from "@/components/tooltip";
import { formatCount } from "@/lib/format";
import type { Feed } from "./feed/feed";
import { useFeedState } from "./feed/use-feed";

/** Follow the newest event, or hold still. Says which of the two is so, and nothing where no event can be read. */
export function LiveButton({ feed }: { feed: Feed }) {
  const { t } = useTranslation("activity");
  const live = useFeedState(feed, (snapshot) => snapshot.mode === "live");
  const unread = useFeedState(feed, (snapshot) => snapshot.problem?.what === "open");
  if (unread) return null;
  return (
    <Tooltip text={t(live ? "live.pause" : "live.follow")} keys="space">
      <Button onClick={() => (live ? feed.pause() : feed.resume())} className="min-w-22">
        <Icon of={live ? Pause : Play} />
        <span>
          {t(live ? "live.on" : "live.off")}
          <span className="sr-only">: {t(live ? "live.pause" : "live.follow")}</span>
        </span>
      </Button>
    </Tooltip>
  );
}

/** How many events came since the list was frozen, and the way to them. */
export function NewPill({ feed }: { feed: Feed }) {
  const { t, i18n } = useTranslation("activity");
  const fresh = useFeedState(feed, (snapshot) => (snapshot.mode === "live" ? 0 : snapshot.fresh));
  if (fresh === 0) return null;
  return (
    <button
      type="button"
      onClick={() => feed.resume()}
      className="absolute bottom-3 left-1/2 z-20 flex h-7.5 -translate-x-1/2 items-center gap-1.5 rounded-full bg-accent px-3 font-[560] whitespace-nowrap text-on-accent tabular shadow-float hover:bg-accent-hover"
    >
      <Icon of={ArrowDown} />
      {t("live.fresh", { count: fresh, shown: formatCount(fresh, i18n.language) })}
    </button>
  );
}
