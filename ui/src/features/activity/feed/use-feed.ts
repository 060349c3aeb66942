import { useEffect, useEffectEvent, useState, useSyncExternalStore } from "react";
import { type ActivitySearch, filterKey, filterOf } from "../search";
import { Feed, type FeedSnapshot } from "./feed";
import { journal } from "./source";

/** The feed of this screen: open for as long as it is shown, opened again when the filter changes. */
export function useFeed(search: ActivitySearch): Feed {
  const [feed] = useState(() => new Feed(journal));
  const key = filterKey(search);
  // An event in the address is where to begin; later it only says which details are open.
  const open = useEffectEvent((_filter: string) => feed.open(filterOf(search), feed.isOpen ? null : (search.event ?? null)));
  useEffect(() => void open(key), [key]);
  useEffect(() => () => feed.close(), [feed]);
  return feed;
}

/** One part of the feed's state; renders again when that part changes. */
export function useFeedState<T>(feed: Feed, part: (snapshot: FeedSnapshot) => T): T {
  return useSyncExternalStore(feed.subscribe, () => part(feed.getSnapshot()));
}
