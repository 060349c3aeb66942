// Folders that servers may access: valid ones, a missing one, and a home folder that needs a second confirmation.
import type { RootView } from "@/ipc/bindings/RootView";
import type { Sentence } from "@/ipc/bindings/Sentence";
import type { ServerRoots } from "@/ipc/bindings/ServerRoots";
import type { Args } from "./handlers";
import { Part, refuse, Removed } from "./part";
import { said } from "./say";
import type { Scene } from "./scenes";

const root = (id: number, server: number | null, path: string, part: Partial<RootView> = {}): RootView => ({
  id,
  server,
  path,
  name: null,
  wide: false,
  problem: null,
  ...part,
});

const unusable = (path: string, why: Sentence) => said("{path} can’t be used: {why}", { path, why });
const absent = (path: string) => unusable(path, said("it doesn’t exist"));
const harbour = "/home/ana/projects/harbour";
const backup = root(3, 1, "/media/backup/2025", { problem: absent("/media/backup/2025") });

const usual = [
  root(1, 1, harbour, { name: "Harbour lights" }),
  root(2, 1, "/home/ana/projects/tide-tables"),
  backup,
  root(4, null, "/home/ana/notes", { name: "Notes" }),
  root(5, null, "/home/ana", { wide: true }),
];

const lists: Partial<Record<Scene, RootView[]>> = {
  empty: [],
  no_roots: [],
  own_only: usual.filter(({ server }) => server !== null),
  shared_only: usual.filter(({ server }) => server === null),
  long: [
    ...usual,
    root(
      6,
      1,
      "/home/ana/projects/a-very-long-directory-name-that-never-seems-to-end/and/another/one/inside/of/it/and-one-more-below-that",
      { name: "The folder of the build machine in the basement of the old harbour office \u202Etxt.exe" },
    ),
  ],
  // One folder for each reason to leave it out.
  unusable_roots: [
    root(1, 1, harbour, { problem: unusable(harbour, said("permission was denied")) }),
    root(2, 1, "/home/ana/notes.txt", { name: "Notes", problem: unusable("/home/ana/notes.txt", said("it isn’t a folder")) }),
    backup,
    root(4, null, "/mnt/share", { problem: said("a different folder is there now: {path}", { path: "/mnt/share" }) }),
  ],
};

/** Folders that are too wide, unless the person confirms. */
const wides = new Set(["/", "/home", "/home/ana"]);

export class Roots extends Part {
  list = lists[this.scene] ?? usual;
  /** The system dialog's next folder. Null if the person cancels. */
  picks: string | null = this.scene === "roots_wide" ? "/home/ana" : "/home/ana/projects/lamps";
  private readonly removed = new Removed<RootView>();
  private readonly shared = new Map<number, boolean>([[1, this.scene !== "roots_kept"]]);

  private set(next: RootView[], id: number): RootView | undefined {
    this.list = next;
    this.host.tell({ kind: "roots" });
    return next.find((item) => item.id === id);
  }

  of(server: number): ServerRoots {
    const mine = this.list.filter((item) => item.server === server);
    return {
      roots: this.list.filter((item) => item.server === server || item.server === null),
      shared: this.shared.get(server) ?? null,
      askedAt: server === 1 ? Date.now() - 4 * 60_000 : null,
      sent: server === 1 ? mine.length : null,
    };
  }

  /** Whether a server gets the folders for every server. Null if not decided. */
  share(server: number, shared: boolean | null): null {
    if (shared === null) this.shared.delete(server);
    else this.shared.set(server, shared);
    this.host.tell({ kind: "roots" });
    return null;
  }

  list_roots = async () => this.list;
  server_roots = async ({ server }: Args<"server_roots">) => this.of(server);
  add_root = async ({ server, path, name, wide }: Args<"add_root">) => {
    if (!path.startsWith("/")) refuse("root_unusable", said("enter the full path: {path}", { path }));
    if (path === "/srv/gone") refuse("root_unusable", absent(path));
    if (!wide && wides.has(path))
      refuse("root_too_wide", said("this folder contains far more than one project: {path}", { path }), { path });
    const added = root(this.removed.nextId(this.list), server, path, { name, wide });
    this.set([...this.list, added], added.id);
    return added;
  };
  rename_root = async ({ id, name }: Args<"rename_root">) =>
    this.set(
      this.list.map((item) => (item.id === id ? { ...item, name } : item)),
      id,
    )!;
  remove_root = async ({ id }: Args<"remove_root">) => {
    this.set(this.removed.take(this.list, id), id);
    return null;
  };
  restore_root = async ({ id }: Args<"restore_root">) => this.set(this.removed.restore(this.list, id), id)!;
  share_roots = async ({ server, shared }: Args<"share_roots">) => this.share(server, shared);
  pick_folder = async () => this.picks;
}
