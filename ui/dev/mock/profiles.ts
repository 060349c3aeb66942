// Profiles: one for work, and one for home with a server that was removed.
import type { NewProfile } from "@/ipc/bindings/NewProfile";
import type { ProfileView } from "@/ipc/bindings/ProfileView";
import type { Args } from "./handlers";
import { Part, refuse } from "./part";
import file from "./profile-file.json";
import { said } from "./say";

const usual: ProfileView[] = [
  {
    id: 1,
    name: "Home",
    isActive: false,
    servers: [2],
    missing: [{ server: null, name: "photo-archive" }],
    hidden: [],
    folders: [],
    project: null,
  },
  {
    id: 2,
    name: "Work",
    isActive: true,
    servers: [1, 2, 3],
    missing: [],
    hidden: [{ app: null, server: 2, tool: "merge_pull_request" }],
    folders: null,
    project: "/home/ana/projects/harbour",
  },
];

/** The file of a profile that another person made. */
export const strangersFile = file;

export class Profiles extends Part {
  list: ProfileView[] = this.scene === "profiles" ? usual : [];
  private lastId = this.list.length;

  private set(next: ProfileView[]): void {
    this.list = next.toSorted((a, b) => a.name.localeCompare(b.name));
    this.host.tell({ kind: "profiles" });
  }

  private save(id: number | null, { name, servers, hidden, folders, project }: NewProfile): ProfileView {
    if (this.list.some((other) => other.id !== id && other.name.toLowerCase() === name.trim().toLowerCase()))
      refuse("invalid_profile", said("another profile is already called: {name}", { name }));
    const before = this.list.find((other) => other.id === id);
    const ids = new Set(this.host.servers.map((server) => server.id));
    const isHere = (server: number | null): server is number => server !== null && ids.has(server);
    const view: ProfileView = {
      id: id ?? ++this.lastId,
      name: name.trim(),
      isActive: before?.isActive ?? false,
      servers: servers.map(({ server }) => server).filter(isHere),
      missing: servers.filter(({ server }) => !isHere(server)),
      hidden,
      folders,
      project,
    };
    this.set([...this.list.filter((other) => other.id !== view.id), view]);
    return view;
  }

  list_profiles = async () => this.list;
  save_profile = async ({ id, profile }: Args<"save_profile">) => this.save(id, profile);
  remove_profile = async ({ id }: Args<"remove_profile">) => {
    const gone = this.list.find((profile) => profile.id === id) ?? refuse("no_such_profile", `no such profile: ${id}`);
    this.set(this.list.filter((profile) => profile.id !== id));
    const { isActive, missing, servers, ...rest } = gone;
    const content = { ...rest, servers: [...servers.map((server) => ({ server, name: "" })), ...missing] };
    return { profile: content, wasActive: isActive };
  };
  restore_profile = async ({ removed: { profile, wasActive } }: Args<"restore_profile">) => {
    const { id } = this.save(profile.id, profile);
    if (wasActive) await this.use_profile({ id });
    return null;
  };
  use_profile = async ({ id }: Args<"use_profile">) => {
    const before = this.list.find(({ isActive }) => isActive)?.id ?? null;
    this.set(this.list.map((profile) => ({ ...profile, isActive: profile.id === id })));
    return before;
  };
  export_profile = async ({ id }: Args<"export_profile">) => {
    const name = this.list.find((profile) => profile.id === id)?.name;
    return `${JSON.stringify({ ...strangersFile, name }, null, 2)}\n`;
  };
  review_profile = async ({ text }: Args<"review_profile">) => {
    const read = JSON.parse(text) as typeof strangersFile;
    if (read.mooring_profile !== 1) refuse("invalid_profile", said("a newer version of Mooring wrote this profile"));
    const { name, servers, hidden, folders, project } = read;
    const found = (called: string) => this.host.servers.find((server) => server.name === called);
    return {
      name,
      isTaken: this.list.some((profile) => profile.name === name),
      servers: servers.map((server) => {
        const here = found(server.name);
        return { ...server, server: here?.id ?? null, runsHere: here === undefined || here.command === server.runs ? null : here.command };
      }),
      hidden: hidden.length,
      folders: folders.map((path) => ({ path, isHere: path === "/home/ana/notes" })),
      project: { path: project, isHere: true },
    };
  };
  import_profile = async ({ text, choice }: Args<"import_profile">) => {
    const review = await this.review_profile({ text });
    const servers = review.servers.map(({ name, server, runsHere }) => ({
      name,
      server: runsHere === null || choice.others ? server : null,
    }));
    return this.save(null, {
      name: choice.name ?? review.name,
      servers,
      hidden: [],
      folders: review.folders.map(({ path }) => path),
      project: choice.project ? review.project.path : null,
    });
  };
}
