import { useEffect, useEffectEvent, useState, useSyncExternalStore } from "react";
import { type ActivitySearch, filterKey, filterOf } from "../search";
import { Feed, type FeedSnapshot } from "./feed";
import { journal } from "./source";

/** The feed of this screen: open while it is shown, reopened when the filter changes. */
export function useFeed(search: ActivitySearch): Feed {
  const [feed] = useState(() => new Feed(journal));
  const key = filterKey(search);
  // At first the event in the URL is where to start. Later it only selects the open details.
  const open = useEffectEvent((_filter: string) => feed.open(filterOf(search), feed.isOpen ? null : (search.event ?? null)));
  useEffect(() => void open(key), [key]);
  useEffect(() => () => feed.close(), [feed]);
  return feed;
}

/** A part of the feed's state. Renders again when that part changes. */
export function useFeedState<T>(feed: Feed, part: (snapshot: FeedSnapshot) => T): T {
  return useSyncExternalStore(feed.subscribe, () => part(feed.getSnapshot()));
}
