import type { ServerInput } from "@/ipc/bindings/ServerInput";

const sorted = (values: Record<string, string | undefined>) => Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1));

/** Whether changing a server from `before` to `after` requires a restart. */
export const startsAnew = (before: ServerInput, after: ServerInput): boolean =>
  canonical({ ...after, name: before.name, timeoutMs: before.timeoutMs }) !== canonical(before);

/** A text that is the same for servers with the same configuration. */
export function canonical(server: ServerInput): string {
  const { name, transport, command, args, env, cwd, url, headers, timeoutMs, era, secrets } = server;
  // A value means a change. Whether it is already encrypted doesn't matter.
  const sealed = secrets.map(({ place, name, value }) => [place, name, value]).toSorted((a, b) => (String(a) < String(b) ? -1 : 1));
  return JSON.stringify([name, transport, command, args, sorted(env), cwd, url, sorted(headers), timeoutMs, era, sealed]);
}
