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
export const shownAddressOf = (server: Address): string => addressOf(withoutPasswords(server));

/** Like {@link shownAddressOf}, with each argument on a line of its own, so that none of them can be overlooked. */
export function shownLinesOf(server: Address): string {
  const { transport, command, args, url } = withoutPasswords(server);
  if (transport !== "stdio") return url ?? "";
  return [
    writeCommandLine(command ?? "", []),
    ...args.map((argument) => `  ${writeCommandLine(argument.replaceAll(/\r\n|\r|\n/g, "↵"), [])}`),
  ].join("\n");
}

function withoutPasswords(server: Address): Address {
  const { url } = server;
  return { ...server, args: server.args.map(hideUserInfo), url: url === null ? null : hideUserInfo(url) };
}
