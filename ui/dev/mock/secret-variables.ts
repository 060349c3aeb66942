/** The secrets that calls carry, as the scripted host has them. */
import type { SealedPlace } from "@/ipc/bindings/SealedPlace";

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
