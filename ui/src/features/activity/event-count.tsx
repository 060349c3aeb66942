import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Chip } from "@/components/chip";
import { formatCount } from "@/lib/format";
import type { Feed } from "./feed/feed";
import { useFeedState } from "./feed/use-feed";

/** How many events the journal holds: counted now and then, and what came since. */
export function EventCount({ feed, total, filtered }: { feed: Feed; total: number; filtered: boolean }) {
  const { t, i18n } = useTranslation("activity");
  const received = useFeedState(feed, (snapshot) => snapshot.received);
  const unread = useFeedState(feed, (snapshot) => snapshot.problem?.what === "open");
  const [counted, setCounted] = useState({ total, received });
  if (counted.total !== total || received < counted.received) setCounted({ total, received });
  // Under a filter only matching events arrive here, so the total stands still until it is counted again.
  const count = total + (filtered ? 0 : received - counted.received);
  if (count <= 0 || unread) return null;
  return (
    <span className="hidden min-w-0 overflow-hidden wide:block">
      <Chip>{t("count", { count, shown: formatCount(count, i18n.language) })}</Chip>
    </span>
  );
}
