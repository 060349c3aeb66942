// The host's commands that the feed uses to read the log.
import { call, stream } from "@/ipc/bridge";
import type { FeedSource } from "./feed";

export const journal: FeedSource = {
  follow: (filter, followId, onBatch) => stream("follow_log", { filter, followId }, onBatch),
  acknowledge: (followId) => call("ack_log", { followId }),
  stop: (followId) => call("stop_follow", { followId }),
  page: (filter, { before, after, limit }) => call("log_page", { filter, before, after, limit }),
};
