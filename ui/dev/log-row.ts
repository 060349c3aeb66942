// A row of the log for tests: an empty frame that came in, but for what is named.
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
  preview: "{}",
  ...part,
});
