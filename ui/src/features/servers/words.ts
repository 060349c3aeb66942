// Texts about a server that several parts of the screen show.
import type { ServerView } from "@/ipc/bindings/ServerView";
import { shownAddressOf } from "@/lib/server-address";
import { visibleLine } from "@/lib/untrusted";

/** Whether a server matches what was typed into the filter: name, address or state. */
export function matchesFilter(server: ServerView, text: string, stateWord: string): boolean {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return true;
  return [visibleLine(server.name), shownAddressOf(server), stateWord, server.revision ?? ""].some((part) =>
    part.toLowerCase().includes(wanted),
  );
}
