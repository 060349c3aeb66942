// Secrets of servers and calls in the mock backend.
import type { SealedPlace } from "@/ipc/bindings/SealedPlace";
import type { SecretView } from "@/ipc/bindings/SecretView";
import type { Args } from "./handlers";
import { Part } from "./part";

/** A day and two hours, in milliseconds. */
const AGO = 26 * 3_600_000;

export class SecretVariables extends Part {
  /** The secrets for calls, by name. */
  readonly values = new Map<string, string>();

  /** Fills the secrets into arguments. */
  fill(text: string, sealed: readonly SealedPlace[]): string {
    return sealed.reduce((filled, { place, name }) => filled.replaceAll(place, this.values.get(name) ?? ""), text);
  }

  list_secret_variables = async () => [...this.values.keys()];
  set_secret_variable = async ({ name, value }: Args<"set_secret_variable">) => {
    this.values.set(name, value);
    return null;
  };
  remove_secret_variable = async ({ name }: Args<"remove_secret_variable">) => {
    this.values.delete(name);
    return null;
  };

  /** Every value of a server that is or will be encrypted. */
  list_secrets = async (): Promise<SecretView[]> =>
    this.host.servers.flatMap(({ id, name: serverName, secrets }) =>
      secrets.map(({ place, name, entered }) => {
        const sealedAt = entered ? Date.now() - AGO : null;
        return { server: id, serverName, place, name, entered, sealedAt };
      }),
    );
}
