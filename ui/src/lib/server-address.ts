// How a server is reached, in words.
import type { ServerView } from "@/ipc/bindings/ServerView";
import { writeCommandLine } from "./command-line";
import { hideUserInfo } from "./secrets";

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
