// The catalog of the mock backend: generated entries, some of them odd, with servers that are installed and updated.
import type { CatalogProgress } from "@/ipc/bindings/CatalogProgress";
import type { CatalogRowView } from "@/ipc/bindings/CatalogRowView";
import type { CatalogState } from "@/ipc/bindings/CatalogState";
import type { ImportEntry } from "@/ipc/bindings/ImportEntry";
import type { ImportPreview } from "@/ipc/bindings/ImportPreview";
import type { ImportValue } from "@/ipc/bindings/ImportValue";
import type { ServerInput } from "@/ipc/bindings/ServerInput";
import type { Args } from "./handlers";
import { wholeInput } from "./import";
import { Part, refuse, wait } from "./part";
import { said } from "./say";
import { stdio } from "./servers";

const topics = ["weather", "calendar", "postgres", "github", "mail", "maps", "tickets", "photos"] as const;
const kinds = ["npm", "pypi", "docker", "remote", "mcpb"] as const;
const HOST = "registry.modelcontextprotocol.io";
const NOW = Date.UTC(2026, 10, 20);
const DAY = 86_400_000;

function entry(number: number): CatalogRowView {
  const topic = topics[number % topics.length] ?? "weather";
  const publisher = `io.github.publisher${number % 97}`;
  return {
    name: `${publisher}/${topic}-${number}`,
    publisher,
    title: `${topic[0]?.toUpperCase()}${topic.slice(1)} ${number}`,
    description: `Reads, writes and watches everything of ${topic}-${number}.`,
    version: `1.${number % 7}.0`,
    kinds: number % 9 === 8 ? ["npm", "remote"] : [kinds[number % kinds.length] ?? "npm"],
    status: number % 50 === 49 ? "deprecated" : "active",
    publishedMs: NOW - (number % 400) * DAY,
    updatedMs: NOW - (number % 20) * DAY,
    installed: [],
  };
}

/** An entry whose texts try to mislead. */
const odd: CatalogRowView = {
  ...entry(0),
  name: "odd.example/entry-1",
  publisher: "odd.example",
  title: "<b>Hidden</b>\u202egnp.exe",
  description: "<img src=x onerror=alert(1)> a\u200bb",
  kinds: [],
};

/** What an entry's `server.json` is read as. */
function previewOf(
  row: CatalogRowView,
  names: readonly string[],
  values: readonly ImportValue[],
): Omit<ImportPreview, "entries"> & { entries: (ImportEntry & { server: ServerInput })[] } {
  const short = row.name.split("/")[1] ?? row.name;
  const several = row.kinds.length > 1;
  const entries = row.kinds.flatMap((kind, index) => {
    if (kind === "mcpb" || kind === "other" || kind === "nuget") return [];
    const name = several ? `${short} (${kind})` : short;
    const value = (key: string) => values.find((given) => given.entry === name && given.key === key);
    const key = wholeInput({ key: "API_KEY", description: "From your account page", secret: true, required: true }, value("API_KEY"));
    const region = wholeInput({ key: "REGION", kind: "choice", choices: ["eu", "us"], default: "eu" }, value("REGION"));
    const inputs = kind === "remote" ? [] : [key.input, region.input];
    return [
      {
        name,
        server: serverOf(name, row, kind, region.text),
        inputs,
        problem: null,
        line: null,
        column: null,
        exists: names.includes(name),
        off: false,
        alternative: index > 0,
        notes: [],
        incomplete: false,
        sealed: [],
      },
    ];
  });
  return { entries, error: null, plain: null, read_as: said("the entry {name} of an MCP registry", { name: row.name }) };
}

function serverOf(name: string, row: CatalogRowView, kind: string, region: string): ServerInput {
  const base = stdio(name, "npx");
  const secrets = [{ place: "env" as const, name: "API_KEY", value: null, entered: false }];
  const at = `@publisher/${name}`;
  const local = { ...base, env: { REGION: region }, secrets };
  if (kind === "remote")
    return { ...base, transport: "http", command: null, args: [], url: `https://${name.replaceAll(" ", "-")}.example.com/mcp` };
  if (kind === "pypi") return { ...local, command: "uvx", args: [`${at}==${row.version}`] };
  if (kind === "docker") return { ...local, command: "docker", args: ["run", "-i", "--rm", "-e", "API_KEY", `${at}:${row.version}`] };
  return { ...local, args: ["-y", `${at}@${row.version}`] };
}

export class Catalog extends Part {
  private readonly isEmpty = this.scene === "catalog_first" || this.scene === "catalog_slow";
  private syncedMs: number | null = this.isEmpty ? null : Date.now() - 3 * 3_600_000;
  private count = this.scene === "catalog_many" ? 30_000 : this.isEmpty ? 0 : 300;
  /** The servers that came from an entry. */
  private readonly installed = new Map<number, { name: string; version: string }>(
    this.scene === "catalog_update" ? [[2, { name: "io.github.publisher0/weather-0", version: "0.1.0" }]] : [],
  );

  private rows(): CatalogRowView[] {
    if (this.count === 0) return [];
    return [odd, ...Array.from({ length: this.count }, (_, number) => entry(number))];
  }

  private withInstalled(row: CatalogRowView): CatalogRowView {
    const installed = [...this.installed]
      .filter(([id, source]) => source.name === row.name && this.host.servers.some((server) => server.id === id))
      .map(([id, { version }]) => ({ id, name: this.host.find(id).name, version, update: version === row.version ? null : row.version }));
    return { ...row, installed };
  }

  private row(name: string): CatalogRowView {
    const found = this.rows().find((row) => row.name === name);
    return this.withInstalled(found ?? refuse("catalog", said("the catalog has no such entry: {name}", { name })));
  }

  /** What a `server.json` of this catalog is read as. */
  preview(text: string, values: readonly ImportValue[]): ImportPreview | null {
    const row = this.rows().find(({ name }) => text === `{"name":"${name}"}`);
    const names = this.host.servers.map((server) => server.name);
    return row === undefined ? null : previewOf(row, names, values);
  }

  /** Remembers the entry of a server that was installed from an older version, for tests. */
  install(id: number, name: string, version: string): void {
    this.installed.set(id, { name, version });
  }

  get_catalog = async (): Promise<CatalogState> => ({
    base: `https://${HOST}`,
    host: HOST,
    entries: this.rows().length,
    leftOut: this.count === 0 ? 0 : 3,
    syncedMs: this.syncedMs,
    unfinished: false,
  });
  refresh_catalog = async ({ opened, callId }: Args<"refresh_catalog">, on: (progress: CatalogProgress) => void) => {
    if (opened && this.scene !== "catalog_offline") return this.get_catalog();
    return this.host.cancellable<CatalogState | null>(callId, null, async (signal) => {
      for (let pages = 1; pages <= 3; pages += 1) {
        await wait(this.scene === "catalog_slow" && pages > 1 ? 60_000 : this.host.pace / 3);
        if (signal.aborted) return null;
        on({ pages, entries: pages * 100, leftOut: 0 });
      }
      if (this.scene === "catalog_offline")
        refuse("catalog", said("the registry can’t be reached: {reason}", { reason: "no route" }), {
          next: said("Check your connection, and the proxy under Settings, Network. The copy stays as it is."),
        });
      this.count = Math.max(this.count, 300);
      this.syncedMs = Date.now();
      return this.get_catalog();
    });
  };
  search_catalog = async ({ text, offset, limit }: Args<"search_catalog">) => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.rows().filter(({ name, title, description }) => {
      const all = `${name}\n${title}\n${description}`.toLowerCase();
      return words.every((word) => all.includes(word));
    });
    return { total: found.length, entries: found.slice(offset, offset + limit).map((row) => this.withInstalled(row)) };
  };
  get_catalog_entry = async ({ name, version }: Args<"get_catalog_entry">) => {
    const { installed, ...row } = this.row(name);
    const empty = previewOf({ ...row, installed }, [], []).entries.length === 0;
    const bundle = "bundles can’t be installed from the catalog yet: download the file, and open it in Mooring";
    return {
      entry: { ...row, version: version ?? row.version },
      installed,
      statusMessage: row.status === "active" ? null : "Use the other one.",
      repository: name === odd.name ? null : `https://github.com/${row.publisher.split(".").at(-1)}/${name.split("/")[1]}`,
      website: null,
      serverJson: `{"name":"${name}"}`,
      problem: empty ? said(row.kinds.includes("mcpb") ? bundle : "it has no package and no URL") : null,
    };
  };
  list_catalog_versions = async ({ name }: Args<"list_catalog_versions">) => {
    const { version, publishedMs } = this.row(name);
    const older = { version: "0.9.0", status: "deprecated" as const, publishedMs: NOW - 800 * DAY };
    return [{ version, status: "active" as const, publishedMs }, older];
  };
  list_catalog_servers = async () =>
    [...this.installed].flatMap(([id, { name, version }]) => {
      const server = this.host.servers.find((item) => item.id === id);
      const row = this.row(name);
      if (server === undefined) return [];
      const update = row.version === version ? null : row.version;
      return [{ id, server: server.name, name, version, update, status: row.status }];
    });
  add_from_catalog = async ({ source, package: chosen, name, values }: Args<"add_from_catalog">) => {
    const preview = previewOf(this.row(source.name), [], values);
    const found = preview.entries.find((one) => one.name === chosen);
    if (found === undefined) return refuse("catalog", said("it has no package and no URL"));
    const secrets = found.server.secrets.map((secret) => ({ ...secret, value: null, entered: true }));
    const added = this.host.insert({ ...found.server, name: name ?? chosen, secrets });
    this.installed.set(added.id, source);
    return [added];
  };
  review_catalog_update = async ({ id, values }: Args<"review_catalog_update">) => {
    const source = this.installed.get(id) ?? refuse("catalog", said("“{name}” didn’t come from the catalog", { name: "" }));
    const row = this.row(source.name);
    const before = this.host.find(id);
    const own = values.map((value) => ({ ...value, entry: row.name.split("/")[1] ?? "" }));
    const [found] = previewOf(row, [], own).entries;
    if (found === undefined) return refuse("catalog", said("it has no package and no URL"));
    const inputs = found.inputs.map((input) => ({ ...input, required: input.required && !input.secret }));
    const after = { ...found.server, name: before.name, secrets: before.secrets };
    return { name: row.name, from: source.version, version: row.version, before, after, inputs, notes: [] };
  };
  update_from_catalog = async ({ id, version, shown }: Args<"update_from_catalog">) => {
    const source = this.installed.get(id);
    if (source) this.installed.set(id, { ...source, version });
    return this.host.change(id, { args: shown.args, env: shown.env });
  };
}
