// What apps have of their own, put together: a server that several of them have is one.
import type { AppView } from "@/ipc/bindings/AppView";
import type { ImportEntry } from "@/ipc/bindings/ImportEntry";

/** An app, and what stands in its files. */
export interface OwnEntries {
  readonly app: AppView;
  readonly entries: readonly ImportEntry[];
}

/** A server of theirs. */
export interface Offered {
  readonly entry: ImportEntry;
  /** The apps that have just this one; it is taken from the first. */
  readonly apps: readonly AppView[];
}

export interface Offers {
  readonly servers: readonly Offered[];
  /** Other servers of a name that one of the `servers` has: they stay in the file of their app. */
  readonly others: readonly Offered[];
}

/** How many servers of an app's own aren't in Mooring. */
export const ownOf = ({ servers }: AppView): number => servers.filter(({ ours, here }) => !ours && !here).length;

/** The apps whose own servers can be taken over, the most first. */
export const appsWithOwn = (apps: readonly AppView[]): readonly AppView[] =>
  apps.filter((app) => app.file !== null && ownOf(app) > 0).toSorted((a, b) => ownOf(b) - ownOf(a));

export function offersOf(all: readonly OwnEntries[]): Offers {
  const servers = new Map<string, Offered>();
  const others: Offered[] = [];
  for (const { app, entries } of all)
    for (const entry of entries) {
      const known = servers.get(entry.name);
      // One that can't be read takes no name from one that can.
      if (known === undefined || (known.entry.server === null && entry.server !== null)) servers.set(entry.name, { entry, apps: [app] });
      else if (isSame(known.entry, entry)) servers.set(entry.name, { ...known, apps: [...known.apps, app] });
      else others.push({ entry, apps: [app] });
    }
  return { servers: [...servers.values()], others };
}

const isSame = (one: ImportEntry, other: ImportEntry): boolean =>
  one.server !== null && JSON.stringify(one.server) === JSON.stringify(other.server);

/** What is taken over of it, but for the names that are left; of what is in Mooring already only what has just come there. */
export const takenOf = ({ servers }: Offers, left: ReadonlySet<string>, done: ReadonlySet<string>): readonly Offered[] =>
  servers.filter(({ entry }) => entry.server !== null && (!entry.exists || done.has(entry.name)) && !left.has(entry.name));

/** The names of these servers that an app has. */
export const namesIn = (taken: readonly Offered[], app: AppView): string[] =>
  taken.filter(({ apps }) => apps.some(({ id }) => id === app.id)).map(({ entry }) => entry.name);

/** The names of those that are taken from this app. */
export const namesFrom = (taken: readonly Offered[], app: AppView): string[] =>
  taken.filter(({ apps }) => apps[0]?.id === app.id).map(({ entry }) => entry.name);
