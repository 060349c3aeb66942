// Certificates of authorities: one that is trusted and over, and those of whatever file is read.
import type { CertificateView } from "@/ipc/bindings/CertificateView";
import type { NetworkProblem } from "@/ipc/bindings/NetworkProblem";
import { said } from "./say";
import type { Scene } from "./scenes";

const fingerprint = (seed: number) =>
  Array.from({ length: 32 }, (_, at) => ((seed * 89 + at * 47) % 256).toString(16).toUpperCase().padStart(2, "0")).join(":");

const certificate = (seed: number, name: string, issuer: string, endsMs: number): CertificateView => ({
  name,
  issuer,
  endsMs,
  fingerprint: fingerprint(seed),
  der: `certificate-${seed}`,
});

const old = certificate(3, "Harbour Root 2015", "Harbour Root 2015", Date.UTC(2025, 5, 30, 12));
const found: readonly CertificateView[] = [
  certificate(1, "Harbour Root CA", "Harbour Root CA", Date.UTC(2036, 2, 14, 9)),
  certificate(2, "Harbour Inspection CA 2", "Harbour Root CA", Date.UTC(2028, 8, 1, 9)),
];

export class Certificates {
  list: readonly CertificateView[];
  /** Another program changed the network settings. */
  problem: NetworkProblem | null = null;
  private readonly changed: () => void;

  constructor(scene: Scene, changed: () => void) {
    this.changed = changed;
    this.list = scene === "offers" ? [old, ...found] : [];
    if (scene === "apps_changed") {
      const message = said("Another program changed the network settings. What you saved counts.");
      this.problem = { doubt: "changed", message, stored: [said("the proxy {url}", { url: "http://proxy.test:1" })], hash: "1" };
    }
  }

  read = async () => found;

  async add(ders: readonly string[]): Promise<null> {
    const fresh = [old, ...found].filter(({ der }) => ders.includes(der) && this.list.every((known) => known.der !== der));
    this.list = [...this.list, ...fresh];
    this.changed();
    return null;
  }

  async settle(take: boolean): Promise<null> {
    if (take) this.list = [old];
    this.problem = null;
    this.changed();
    return null;
  }

  async remove(gone: string): Promise<null> {
    this.list = this.list.filter((known) => known.fingerprint !== gone);
    this.changed();
    return null;
  }
}
