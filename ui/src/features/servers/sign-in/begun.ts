// How the last sign-in to each server was started, so that it can be retried after leaving its tab.
import type { SignInInput } from "@/ipc/bindings/SignInInput";
import type { SignInView } from "@/ipc/bindings/SignInView";

export interface Begun {
  readonly part: Partial<Pick<SignInInput, "way" | "clientId" | "redirect" | "another">>;
  /** The kind of client credential that was entered. The credential itself is not saved. */
  readonly proof: "secret" | "key" | null;
}

const byServer = new Map<number, Begun & { readonly startedAt: number }>();

/** Saves how this sign-in was started, without the secret and one-time permissions. */
export function keepBegun(
  { server, startedAt }: SignInView,
  { way, clientId, clientSecret, redirect, another }: Partial<SignInInput>,
): void {
  const said = Object.entries({ way, clientId, redirect, another }).filter(([, value]) => value !== undefined);
  const proof = (clientSecret ?? "") === "" ? null : clientSecret?.trimStart().startsWith("-----BEGIN") === true ? "key" : "secret";
  byServer.set(server, { startedAt, part: Object.fromEntries(said), proof });
}

/** How this sign-in was started. Null if it was started elsewhere, with just a button. */
export function begunAs({ server, startedAt }: SignInView): Begun | null {
  const begun = byServer.get(server);
  return begun?.startedAt === startedAt ? begun : null;
}
