// Merges the apps' own servers: one that several apps have is listed once.
import type { AppView } from "@/ipc/bindings/AppView";
import type { ImportEntry } from "@/ipc/bindings/ImportEntry";

/** An app, and the entries in its files. */
export interface OwnEntries {
  readonly app: AppView;
  readonly entries: readonly ImportEntry[];
}

/** A server of the apps. */
export interface Offered {
  readonly entry: ImportEntry;
  /** The apps with exactly this server. It is imported from the first. */
  readonly apps: readonly AppView[];
}

export interface Offers {
  readonly servers: readonly Offered[];
  /** Other servers with the same name as one in `servers`. They stay in their app's file. */
  readonly others: readonly Offered[];
}

/** How many of an app's own servers aren't in Mooring. */
export const ownOf = ({ servers }: AppView): number => servers.filter(({ ours, here }) => !ours && !here).length;

/** The apps whose own servers can be taken over, those with the most first. */
export const appsWithOwn = (apps: readonly AppView[]): readonly AppView[] =>
  apps.filter((app) => app.file !== null && ownOf(app) > 0).toSorted((a, b) => ownOf(b) - ownOf(a));

export function offersOf(all: readonly OwnEntries[]): Offers {
  const servers = new Map<string, Offered>();
  const others: Offered[] = [];
  for (const { app, entries } of all)
    for (const entry of entries) {
      const known = servers.get(entry.name);
      // An unreadable entry doesn't take the name of a readable one.
      if (known === undefined || (known.entry.server === null && entry.server !== null)) servers.set(entry.name, { entry, apps: [app] });
      else if (isSame(known.entry, entry)) servers.set(entry.name, { ...known, apps: [...known.apps, app] });
      else others.push({ entry, apps: [app] });
    }
  return { servers: [...servers.values()], others };
}

const isSame = (one: ImportEntry, other: ImportEntry): boolean =>
  one.server !== null && JSON.stringify(one.server) === JSON.stringify(other.server);

/** The servers to take over, without the deselected ones. Of those in Mooring, only the ones just imported. */
export const takenOf = ({ servers }: Offers, left: ReadonlySet<string>, done: ReadonlySet<string>): readonly Offered[] =>
  servers.filter(({ entry }) => entry.server !== null && (!entry.exists || done.has(entry.name)) && !left.has(entry.name));

/** The names of these servers in an app. */
export const namesIn = (taken: readonly Offered[], app: AppView): string[] =>
  taken.filter(({ apps }) => apps.some(({ id }) => id === app.id)).map(({ entry }) => entry.name);

/** The names of the servers that are imported from this app. */
export const namesFrom = (taken: readonly Offered[], app: AppView): string[] =>
  taken.filter(({ apps }) => apps[0]?.id === app.id).map(({ entry }) => entry.name);
