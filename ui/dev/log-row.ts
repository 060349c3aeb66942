// A log row for tests: an empty received message with some fields changed.
import type { LogFilter } from "@/ipc/bindings/LogFilter";
import type { LogRow } from "@/ipc/bindings/LogRow";
import { logEntry, withoutBody } from "./mock/journal";

export const logRow = ({ id = 1, ...part }: Partial<LogRow>): LogRow =>
  withoutBody(logEntry(id, { at: 0, serverId: 1, source: "demo", kind: "frame", direction: "in", body: "{}", ...part }));

/** A filter that matches every row. */
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
