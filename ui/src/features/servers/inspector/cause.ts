// Servers that failed for one reason: what mends one of them may mend the others.
import type { ServerView } from "@/ipc/bindings/ServerView";

type Failing = Pick<ServerView, "id" | "state" | "failure" | "transport" | "command" | "url">;

/** Where a URL leads: its host and port. */
const originOf = (url: string | null): string | null => (url !== null && URL.canParse(url) ? new URL(url).origin : null);

/** What a server failed for, where another one can fail for the very same; null otherwise. */
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

/** The others that failed for the same reason as this one. */
export function othersLike<S extends Failing>(server: Failing, list: readonly S[]): readonly S[] {
  const cause = causeOf(server);
  return cause === null ? [] : list.filter((other) => other.id !== server.id && causeOf(other) === cause);
}
