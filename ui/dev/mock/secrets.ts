/** Secrets of servers and of calls, as the scripted host has them. */
import type { SealedPlace } from "@/ipc/bindings/SealedPlace";
import type { SecretView } from "@/ipc/bindings/SecretView";
import type { ServerView } from "@/ipc/bindings/ServerView";

/** A day and two hours, in milliseconds. */
const AGO = 26 * 3_600_000;

/** Every value of a server that is encrypted, or to be. */
export const secretsOf = (servers: readonly ServerView[]): SecretView[] =>
  servers.flatMap((server) =>
    server.secrets.map(({ place, name, entered }) => ({
      server: server.id,
      serverName: server.name,
      place,
      name,
      entered,
      sealedAt: entered ? Date.now() - AGO : null,
    })),
  );

/** Those that calls carry. */
export class SecretVariables {
  /** By name. */
  readonly values = new Map<string, string>();

  names = async (): Promise<string[]> => [...this.values.keys()];

  set = async ({ name, value }: { name: string; value: string }): Promise<null> => {
    this.values.set(name, value);
    return null;
  };

  remove = async ({ name }: { name: string }): Promise<null> => {
    this.values.delete(name);
    return null;
  };

  /** Arguments with the secrets at their places. */
  fill(text: string, sealed: readonly SealedPlace[]): string {
    return sealed.reduce((filled, { place, name }) => filled.replaceAll(place, this.values.get(name) ?? ""), text);
  }
}
