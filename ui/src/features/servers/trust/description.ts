// A server's description of an item, from the approved definition, because that is what the person read.
import type { PinView } from "@/ipc/bindings/PinView";
import { stringAt } from "@/lib/json-scan";
import { visibleLine } from "@/lib/untrusted";

/** More than fits on one line. */
const LONGEST = 300;

/** The description on one line, with invisible characters spelled out. Null if there is none. */
export function descriptionOf({ kind, now }: PinView): string | null {
  if (kind === "server" || kind === "instructions") return null;
  const said = stringAt(now, "description")?.trim();
  return said ? visibleLine(said.slice(0, LONGEST)) : null;
}
