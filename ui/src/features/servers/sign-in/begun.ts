// How the last sign-in to each server was begun, so that it can be tried again as it was when its tab was left meanwhile.
import type { SignInInput } from "@/ipc/bindings/SignInInput";
import type { SignInView } from "@/ipc/bindings/SignInView";

export interface Begun {
  readonly part: Partial<Pick<SignInInput, "way" | "clientId" | "redirect" | "another">>;
  /** What was entered to prove the client, which is not kept. */
  readonly proof: "secret" | "key" | null;
}

const byServer = new Map<number, Begun & { readonly startedAt: number }>();

/** Keeps how this sign-in was begun: all but the secret, and what the person allowed once. */
export function keepBegun(
  { server, startedAt }: SignInView,
  { way, clientId, clientSecret, redirect, another }: Partial<SignInInput>,
): void {
  const said = Object.entries({ way, clientId, redirect, another }).filter(([, value]) => value !== undefined);
  const proof = (clientSecret ?? "") === "" ? null : clientSecret?.trimStart().startsWith("-----BEGIN") === true ? "key" : "secret";
  byServer.set(server, { startedAt, part: Object.fromEntries(said), proof });
}

/** How this sign-in was begun; null where it was begun elsewhere, with nothing but a button. */
export function begunAs({ server, startedAt }: SignInView): Begun | null {
  const begun = byServer.get(server);
  return begun?.startedAt === startedAt ? begun : null;
}
