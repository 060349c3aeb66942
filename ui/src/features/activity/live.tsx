import { ArrowDown, Pause, Play } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Icon } from "@/components/icon";
import { cx } from "@/lib/cx";
import { formatCount } from "@/lib/format";
import type { Feed } from "./feed/feed";
import { useFeedState } from "./feed/use-feed";

/** Whether the list follows the newest event, and a button to change that. Hidden if the log can't be read. */
export function LiveButton({ feed }: { feed: Feed }) {
  const { t } = useTranslation("activity");
  const live = useFeedState(feed, (snapshot) => snapshot.mode === "live");
  const unread = useFeedState(feed, (snapshot) => snapshot.problem?.what === "open");
  if (unread) return null;
  return (
    <>
      <span className="flex shrink-0 items-center gap-1.5 text-sm text-fg-2 max-[560px]:sr-only">
        <span aria-hidden className={cx("size-2 rounded-full", live ? "bg-ok" : "bg-line-strong")} />
        <span className="max-wide:sr-only">{t(live ? "live.on" : "live.off")}</span>
      </span>
      <Button
        icon={live ? Pause : Play}
        keys="space"
        onClick={() => (live ? feed.pause() : feed.resume())}
        className="min-w-22 max-[560px]:[&_kbd]:hidden"
      >
        {t(live ? "live.pause" : "live.follow")}
      </Button>
    </>
  );
}

/** How many events have arrived since the list was frozen, and a button to show them. */
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
