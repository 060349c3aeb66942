import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Chip } from "@/components/chip";
import { appInfo, logCount } from "@/ipc/queries";
import { formatCount } from "@/lib/format";
import type { Feed } from "./feed/feed";
import { useFeedState } from "./feed/use-feed";
import { type ActivitySearch, filterOf } from "./search";

/** How many events are saved, as in the status bar. */
export function EventCount({ feed }: { feed: Feed }) {
  const { t, i18n } = useTranslation("activity");
  const count = useSaved();
  if (count <= 0) return null;
  return <CountChip feed={feed}>{t("count", { count, shown: formatCount(count, i18n.language) })}</CountChip>;
}

/** How many events match, and of how many. Counted once per filter, plus new events. */
export function MatchCount({ feed, total, search }: { feed: Feed; total: number; search: ActivitySearch }) {
  const { t, i18n } = useTranslation("activity");
  const saved = useSaved();
  const { data: counted } = useQuery(logCount(filterOf(search)));
  const matches = useGrowing(feed, counted ?? 0);
  if (counted === undefined) return null;
  const words = (count: number, of: number) =>
    t("matches", { count: of, shown: formatCount(count, i18n.language), total: formatCount(Math.max(count, of), i18n.language) });
  return (
    <>
      {/* New events aren't announced, because a flood would never end. */}
      <span role="status" className="sr-only">
        {words(counted, total)}
      </span>
      <CountChip feed={feed} hidden>
        {words(matches, saved)}
      </CountChip>
    </>
  );
}

/** How many events are saved. The host reports it once per second. */
function useSaved(): number {
  const { data } = useQuery(appInfo());
  return data?.logRows ?? 0;
}

/** A count plus the events since then. */
function useGrowing(feed: Feed, count: number): number {
  const received = useFeedState(feed, (snapshot) => snapshot.received);
  const [counted, setCounted] = useState({ count, received });
  if (counted.count !== count || received < counted.received) setCounted({ count, received });
  return count + received - counted.received;
}

function CountChip({ feed, hidden = false, children }: { feed: Feed; hidden?: boolean; children: string }) {
  const unread = useFeedState(feed, (snapshot) => snapshot.problem?.what === "open");
  if (unread) return null;
  return (
    <span aria-hidden={hidden} className="hidden min-w-0 overflow-hidden wide:block">
      <Chip>{children}</Chip>
    </span>
  );
}
