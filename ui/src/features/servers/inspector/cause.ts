// Groups servers that failed for the same reason, because one fix may help all of them.
import type { ServerView } from "@/ipc/bindings/ServerView";

type Failing = Pick<ServerView, "id" | "state" | "failure" | "transport" | "command" | "url">;

/** The host and port of a URL. */
const originOf = (url: string | null): string | null => (url !== null && URL.canParse(url) ? new URL(url).origin : null);

/** The cause of a server's failure, if others can fail for the same. Otherwise null. */
export function causeOf({ state, failure, transport, command, url }: Failing): string | null {
  if (failure === null || (state !== "failed" && state !== "reconnecting")) return null;
  switch (failure.code) {
    case "command_not_found":
    case "not_executable":
      return transport === "stdio" && command !== null ? `${failure.code} ${command}` : null;
    case "refused":
    case "certificate": {
      const origin = transport === "http" ? originOf(url) : null;
      return origin && `${failure.code} ${origin}`;
    }
    default:
      return null;
  }
}

/** The other servers with the same cause. */
export function othersLike<S extends Failing>(server: Failing, list: readonly S[]): readonly S[] {
  const cause = causeOf(server);
  return cause === null ? [] : list.filter((other) => other.id !== server.id && causeOf(other) === cause);
}
