// Texts about a server that several parts of the screen show.
import type { ServerView } from "@/ipc/bindings/ServerView";
import { visibleLine } from "@/lib/untrusted";
import { writeCommandLine } from "./form/command-line";

/** How the server is reached, on one line: its command line or its address. */
export function addressOf(server: Pick<ServerView, "transport" | "command" | "args" | "url">): string {
  return server.transport === "stdio" ? writeCommandLine(server.command ?? "", server.args) : (server.url ?? "");
}

/** Whether a server matches what was typed into the filter: name, address or state. */
export function matchesFilter(server: ServerView, text: string, stateWord: string): boolean {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return true;
  return [visibleLine(server.name), addressOf(server), stateWord, server.revision ?? ""].some((part) =>
    part.toLowerCase().includes(wanted),
  );
}
