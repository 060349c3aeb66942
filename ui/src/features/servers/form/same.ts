import type { ServerInput } from "@/ipc/bindings/ServerInput";

const sorted = (values: Record<string, string | undefined>) => Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1));

/** Whether a server that is set up like `before` has to be started anew to be like `after`. */
export const startsAnew = (before: ServerInput, after: ServerInput): boolean =>
  canonical({ ...after, name: before.name, timeoutMs: before.timeoutMs }) !== canonical(before);

/** Two servers with the same text here are set up alike. */
export function canonical(server: ServerInput): string {
  const { name, transport, command, args, env, cwd, url, headers, timeoutMs, era, secrets } = server;
  // A value that is there means a change; whether one is sealed already does not.
  const sealed = secrets.map(({ place, name, value }) => [place, name, value]).toSorted((a, b) => (String(a) < String(b) ? -1 : 1));
  return JSON.stringify([name, transport, command, args, sorted(env), cwd, url, sorted(headers), timeoutMs, era, sealed]);
}
