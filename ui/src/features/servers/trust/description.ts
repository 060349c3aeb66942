// What a server says that a thing does, from the definition that is approved: an approval is of what was read.
import type { PinView } from "@/ipc/bindings/PinView";
import { stringAt } from "@/lib/json-scan";
import { visibleLine } from "@/lib/untrusted";

/** More than this never fits in one line. */
const LONGEST = 300;

/** The description in one line, with what is invisible in it named; none where the server gives none. */
export function descriptionOf({ kind, now }: PinView): string | null {
  if (kind === "server" || kind === "instructions") return null;
  const said = stringAt(now, "description")?.trim();
  return said ? visibleLine(said.slice(0, LONGEST)) : null;
}
