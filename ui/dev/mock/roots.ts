// Folders that servers may be told of: good ones, one that is gone, and a home directory that takes a second yes.
import type { RootView } from "@/ipc/bindings/RootView";
import type { ServerRoots } from "@/ipc/bindings/ServerRoots";
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

const usual = (): RootView[] => [
  root(1, 1, "/home/ana/projects/harbour", { name: "Harbour lights" }),
  root(2, 1, "/home/ana/projects/tide-tables"),
  root(3, 1, "/media/backup/2025", {
    problem: said("{path} can’t be used: {why}", { path: "/media/backup/2025", why: said("it doesn’t exist") }),
  }),
  root(4, null, "/home/ana/notes", { name: "Notes" }),
  root(5, null, "/home/ana", { wide: true }),
];

/** One of each reason why a folder is left out. */
const unusable = (): RootView[] => [
  root(1, 1, "/home/ana/projects/harbour", {
    problem: said("{path} can’t be used: {why}", { path: "/home/ana/projects/harbour", why: said("permission was denied") }),
  }),
  root(2, 1, "/home/ana/notes.txt", {
    name: "Notes",
    problem: said("{path} can’t be used: {why}", { path: "/home/ana/notes.txt", why: said("it isn’t a folder") }),
  }),
  root(3, 1, "/media/backup/2025", {
    problem: said("{path} can’t be used: {why}", { path: "/media/backup/2025", why: said("it doesn’t exist") }),
  }),
  root(4, null, "/mnt/share", { problem: said("a different folder is there now: {path}", { path: "/mnt/share" }) }),
];

const long = (): RootView[] => [
  ...usual(),
  root(6, 1, "/home/ana/projects/a-very-long-directory-name-that-never-seems-to-end/and/another/one/inside/of/it/and-one-more-below-that", {
    name: "The folder of the build machine in the basement of the old harbour office \u202Etxt.exe",
  }),
];

function missing(id: number): never {
  // oxlint-disable-next-line no-throw-literal -- the real transport rejects with plain objects as well
  throw { code: "internal", message: said("no such folder: {id}", { id: String(id) }), details: null };
}

export class Roots {
  list: RootView[];
  /** What the system's picker gives next; null: the person gives up. */
  picks: string | null = "/home/ana/projects/lamps";
  private readonly removed = new Map<number, RootView>();
  private readonly shared = new Map<number, boolean>([[1, true]]);
  private readonly tell: () => void;

  constructor(scene: Scene, tell: () => void) {
    this.list =
      scene === "empty" || scene === "no_roots" ? [] : scene === "long" ? long() : scene === "unusable_roots" ? unusable() : usual();
    if (scene === "roots_wide") this.picks = "/home/ana";
    if (scene === "roots_kept") this.shared.set(1, false);
    if (scene === "own_only") this.list = this.list.filter((item) => item.server !== null);
    if (scene === "shared_only") this.list = this.list.filter((item) => item.server === null);
    this.tell = tell;
  }

  private set(next: RootView[]): void {
    this.list = next.toSorted((a, b) => a.id - b.id);
    this.tell();
  }

  of(server: number): ServerRoots {
    return {
      roots: this.list.filter((item) => item.server === server || item.server === null),
      shared: this.shared.get(server) ?? null,
      askedAt: server === 1 ? Date.now() - 4 * 60_000 : null,
      sent: server === 1 ? this.list.filter((item) => item.server === 1).length : null,
    };
  }

  async add(server: number | null, path: string, name: string | null, wide: boolean): Promise<RootView> {
    if (!path.startsWith("/"))
      return Promise.reject({ code: "root_unusable", message: said("enter the full path: {path}", { path }), details: null });
    if (path.includes("gone"))
      return Promise.reject({
        code: "root_unusable",
        message: said("{path} can’t be used: {why}", { path, why: said("it doesn’t exist") }),
        details: null,
      });
    if (!wide && ["/", "/home", "/home/ana"].includes(path))
      return Promise.reject({
        code: "root_too_wide",
        message: said("this folder contains far more than one project: {path}", { path }),
        details: { path },
      });
    const added = root(Math.max(0, ...this.list.map((item) => item.id), ...this.removed.keys()) + 1, server, path, { name, wide });
    this.set([...this.list, added]);
    return added;
  }

  async rename(id: number, name: string | null): Promise<RootView> {
    const before = this.list.find((item) => item.id === id) ?? missing(id);
    this.set(this.list.map((item) => (item.id === id ? { ...item, name } : item)));
    return { ...before, name };
  }

  async remove(id: number): Promise<null> {
    const gone = this.list.find((item) => item.id === id);
    if (gone) this.removed.set(id, gone);
    this.set(this.list.filter((item) => item.id !== id));
    return null;
  }

  async restore(id: number): Promise<RootView> {
    const back = this.removed.get(id) ?? missing(id);
    this.set([...this.list, back]);
    this.removed.delete(id);
    return back;
  }

  async share(server: number, shared: boolean | null): Promise<null> {
    if (shared === null) this.shared.delete(server);
    else this.shared.set(server, shared);
    this.tell();
    return null;
  }
}
