import type { LogRow } from "@/ipc/bindings/LogRow";
import { appName, callingApp } from "@/lib/callers";
import { visibleLine } from "@/lib/untrusted";
import { appOf } from "../list/describe";
import type { Translate } from "./event-words";

/** The source of a row: a server's name, or the sender and the receiver of an app's message. */
export function SourceName({ row, t }: { row: LogRow; t: Translate }) {
  const app = appOf(row);
  if (app === null) return visibleLine((row.serverId === null && callingApp(row.source)) || row.source);
  const way = t(`way.${row.direction === "from_app" ? "from_app" : "to_app"}`, { app: appName(app) });
  return (
    <span title={way} className="text-fg-2">
      {way}
    </span>
  );
}
