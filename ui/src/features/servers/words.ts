// Texts about a server that several parts of the screen show.
import type { ServerView } from "@/ipc/bindings/ServerView";
import { hideUserInfo } from "@/lib/secrets";
import { visibleLine } from "@/lib/untrusted";
import { writeCommandLine } from "./form/command-line";

type Address = Pick<ServerView, "transport" | "command" | "args" | "url">;

/** How the server is reached, on one line: its command line or its URL, to be copied. */
export function addressOf({ transport, command, args, url }: Address): string {
  return transport === "stdio" ? writeCommandLine(command ?? "", args) : (url ?? "");
}

/** The same to be seen: nobody's password stands in it. */
export function shownAddressOf(server: Address): string {
  const { url } = server;
  return addressOf({ ...server, args: server.args.map(hideUserInfo), url: url === null ? null : hideUserInfo(url) });
}

/** Whether a server matches what was typed into the filter: name, address or state. */
export function matchesFilter(server: ServerView, text: string, stateWord: string): boolean {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return true;
  return [visibleLine(server.name), shownAddressOf(server), stateWord, server.revision ?? ""].some((part) =>
    part.toLowerCase().includes(wanted),
  );
}
