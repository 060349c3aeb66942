// Texts about a server for several parts of the screen.
import type { ServerView } from "@/ipc/bindings/ServerView";
import { shownAddressOf } from "@/lib/server-address";
import { visibleLine } from "@/lib/untrusted";

/** Whether a server matches the filter: by name, address or state. */
export function matchesFilter(server: ServerView, text: string, stateWord: string): boolean {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return true;
  return [visibleLine(server.name), shownAddressOf(server), stateWord, server.revision ?? ""].some((part) =>
    part.toLowerCase().includes(wanted),
  );
}
