// Bundles of the mock backend: files by their names, and the servers that came from them.
import type { BundleChoice } from "@/ipc/bindings/BundleChoice";
import type { BundleReview } from "@/ipc/bindings/BundleReview";
import type { ImportInput } from "@/ipc/bindings/ImportInput";
import type { PinChange } from "@/ipc/bindings/PinChange";
import type { ServerBundleView } from "@/ipc/bindings/ServerBundleView";
import type { ServerInput } from "@/ipc/bindings/ServerInput";
import type { Args } from "./handlers";
import { Part, refuse } from "./part";
import { said } from "./say";
import { stdio } from "./servers";

const FOLDER = "/home/ana/.local/share/mooring/bundles/tide-tables";
/** The file that scenes open. */
export const TIDES = "/home/ana/Downloads/tide-tables-2.0.0.mcpb";
/** The server that came from version 1.4.0 in scenes with an update. */
const OLDER = 1;

const input = (key: string, part: Partial<ImportInput>): ImportInput => ({
  key,
  title: null,
  description: null,
  kind: "text",
  secret: false,
  exposed: false,
  required: false,
  repeated: false,
  default: null,
  example: null,
  choices: [],
  problem: null,
  ...part,
});

const inputs = [
  input("token", { title: "API token", description: "From the harbour master’s website", secret: true, required: true }),
  input("folders", {
    title: "Folders with charts",
    description: "The server reads the charts in them.",
    kind: "folder",
    repeated: true,
    default: "/home/ana/Charts",
  }),
  input("station", { title: "Station", description: "The number of the nearest gauge", kind: "number", required: true, default: "14" }),
];

const changes: PinChange[] = [
  {
    pointer: "/args/2",
    pieces: [
      { op: "removed", text: "--cache=memory" },
      { op: "added", text: "--cache=/tmp/tides" },
    ],
    orderOnly: false,
  },
  { pointer: "/env/TIDE_REGION", pieces: [{ op: "added", text: "north" }], orderOnly: false },
];

const serverOf = (version: string, folders: string, station: string): ServerInput => ({
  ...stdio("", "node", `${FOLDER}/${version}/server/index.js`, `--station=${station}`, "--cache=/tmp/tides", ...folders.split("\n")),
  env: { TIDE_REGION: "north", TIDE_TOKEN: "${user_config.token}" },
  cwd: `${FOLDER}/${version}`,
});

interface Origin {
  readonly version: string;
  readonly earlier: string | null;
}

export class Bundles extends Part {
  /** What the dialog for files answers. */
  picks: string | null = TIDES;
  private readonly origins = new Map<number, Origin>(
    this.scene.startsWith("bundle_update") ? [[OLDER, { version: "1.4.0", earlier: "1.3.2" }]] : [],
  );

  /** The server that came from a bundle. */
  private installed(): { id: number; name: string; version: string; same: boolean }[] {
    return [...this.origins].flatMap(([id, { version }]) => {
      const server = this.host.servers.find((saved) => saved.id === id);
      return server === undefined ? [] : [{ id, name: server.name, version, same: version === "2.0.0" }];
    });
  }

  review(path: string, choice: BundleChoice, values: Args<"read_bundle">["values"]): BundleReview {
    if (!path.endsWith(".mcpb") || this.scene === "bundle_damaged")
      refuse("bundle", said("the bundle is damaged: its end doesn’t match its content"));
    const installed = this.installed();
    const target = choice.name === null ? installed[0] : undefined;
    const given = (key: string) => values.find((value) => value.key === key)?.value;
    const asksConsent = target !== undefined && !target.same;
    const keeps = target !== undefined && (!asksConsent || choice.givesSecrets);
    const station = given("station") ?? "14";
    return {
      title: "Tide tables",
      version: "2.0.0",
      author: "Harbour Works",
      description: "Says when the water is high at a gauge, and reads the charts in your folders.",
      links: ["https://harbour.example/tide-tables", "https://git.example/harbour/tide-tables"],
      program: "node",
      signature: "unsigned",
      signatureText: said("The bundle isn’t signed."),
      sha256: "4f".repeat(32),
      bytes: 2_314_210,
      name: "Tide tables",
      server: this.scene === "bundle_elsewhere" ? null : serverOf("2.0.0", given("folders") ?? "/home/ana/Charts", station),
      problem:
        this.scene === "bundle_elsewhere"
          ? said("this bundle isn’t for {here}, only for {systems}", { systems: "Windows, macOS", here: "Linux" })
          : null,
      notes: [],
      inputs: inputs.map((one) => ({
        ...one,
        required: one.required && !(one.secret && keeps),
        problem:
          one.key === "station" && Number.isNaN(Number(station)) ? said("the value of {name} must be a number", { name: "Station" }) : null,
      })),
      installed,
      update:
        target === undefined
          ? null
          : {
              id: target.id,
              changes: target.same ? [] : changes,
              unshown: 0,
              kept: ["token"],
              consent: asksConsent
                ? said(
                    "No signature shows that this bundle is by the author of “{name}”. Give it the secrets that you entered only if you know where it is from.",
                    { name: target.name },
                  )
                : null,
              removed: target.same ? [] : ["TIDE_KEY"],
            },
      noVault: null,
    };
  }

  /** Remembers that a server came from the bundle. */
  cameFrom(id: number): void {
    this.origins.set(id, { version: "2.0.0", earlier: this.origins.get(id)?.version ?? null });
  }

  pick_bundle = async () => this.picks;
  pick_file = async () => null;
  read_bundle = async ({ path, choice, values }: Args<"read_bundle">) => this.review(path, choice, values);
  server_bundle = async ({ id }: Args<"server_bundle">): Promise<ServerBundleView | null> => {
    const origin = this.origins.get(id);
    if (origin === undefined) return null;
    return {
      title: "Tide tables",
      version: origin.version,
      author: "Harbour Works",
      signature: "unsigned",
      signer: null,
      sha256: "4f".repeat(32),
      previous:
        origin.earlier === null
          ? null
          : {
              version: origin.earlier,
              server: serverOf(origin.earlier, "/home/ana/Charts", "14"),
              hash: `of ${origin.earlier}`,
              changes,
              unshown: 0,
              missing: ["TIDE_KEY"],
              removed: [],
            },
    };
  };
  roll_back_bundle = async ({ id, hash }: Args<"roll_back_bundle">) => {
    const origin = this.origins.get(id);
    if (origin?.earlier == null || hash !== `of ${origin.earlier}`)
      refuse("definition_changed", said("{what} has changed since it was approved", { what: "server" }));
    this.origins.set(id, { version: origin.earlier, earlier: origin.version });
    return this.host.change(id, {});
  };
}
