// A server's address as text: its command or URL.
import type { ServerView } from "@/ipc/bindings/ServerView";
import { writeCommandLine } from "./command-line";
import { hideUserInfo } from "./secrets";

type Address = Pick<ServerView, "transport" | "command" | "args" | "url">;

/** The server's command line or URL on one line, for copying. */
export function addressOf({ transport, command, args, url }: Address): string {
  return transport === "stdio" ? writeCommandLine(command ?? "", args) : (url ?? "");
}

/** The server's command line or URL for display, without passwords. */
export function shownAddressOf(server: Address): string {
  const { url } = server;
  return addressOf({ ...server, args: server.args.map(hideUserInfo), url: url === null ? null : hideUserInfo(url) });
}
