// Which events a filter is about, as the host decides it.
import type { LogFilter } from "@/ipc/bindings/LogFilter";
import type { LogRow } from "@/ipc/bindings/LogRow";

export function matches(row: LogRow, body: string, filter: LogFilter): boolean {
  return (
    (filter.source === null || row.source === filter.source) &&
    (filter.serverId === null || row.serverId === filter.serverId) &&
    (filter.app === null || row.app === filter.app) &&
    (filter.call === null || row.call === filter.call) &&
    (filter.direction === null || row.direction === filter.direction) &&
    (filter.method === null || row.method === filter.method) &&
    (filter.kinds.length === 0 || filter.kinds.includes(row.kind)) &&
    (filter.statuses.length === 0 || filter.statuses.includes(row.status)) &&
    (filter.minDurationUs === null || (row.durationUs !== null && row.durationUs >= filter.minDurationUs)) &&
    (filter.text === null || body.toLowerCase().includes(filter.text.toLowerCase()))
  );
}
