import type { ServerInput } from "@/ipc/bindings/ServerInput";
import { fieldsOf } from "./draft";

const sorted = (values: object): readonly [string, unknown][] => Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1));

/** Whether changing a server from `before` to `after` requires a restart. */
export const startsAnew = (before: ServerInput, after: ServerInput): boolean =>
  canonical({ ...after, name: before.name, timeoutMs: before.timeoutMs, start: before.start }) !== canonical(before);

/** A text that is the same for servers with the same configuration. */
export function canonical(server: ServerInput): string {
  const { env, headers, secrets, ...others } = fieldsOf(server);
  // A value means a change. Whether it is already encrypted doesn't matter.
  const sealed = secrets.map(({ place, name, value }) => [place, name, value]).toSorted((a, b) => (String(a) < String(b) ? -1 : 1));
  return JSON.stringify([sorted(others), sorted(env), sorted(headers), sealed]);
}
