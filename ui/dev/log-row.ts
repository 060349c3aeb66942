// A row of the log for tests: an empty frame that came in, but for what is named.
import type { LogFilter } from "@/ipc/bindings/LogFilter";
import type { LogRow } from "@/ipc/bindings/LogRow";

export const logRow = (part: Partial<LogRow>): LogRow => ({
  id: 1,
  at: 0,
  serverId: 1,
  source: "demo",
  connection: 1,
  kind: "frame",
  direction: "in",
  method: null,
  rpcId: null,
  subject: null,
  status: "none",
  durationUs: null,
  size: 2,
  app: null,
  call: null,
  preview: "{}",
  ...part,
});

/** A filter that every row passes. */
export const everyRow: LogFilter = {
  source: null,
  serverId: null,
  app: null,
  call: null,
  direction: null,
  method: null,
  kinds: [],
  statuses: [],
  minDurationUs: null,
  text: null,
};
